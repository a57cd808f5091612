import { cleanText, secretsOf } from '../clean-text.js';
import { CompareError } from './compare-error.js';

const USAGE = 2;
const BROKEN = 1;

/**
 * Runs a command and leaves its exit code: 2 with one line where what the user gave can't be used.
 *
 * @param {() => number | Promise<number>} command
 */
export async function exitWith(command) {
  try {
    process.exitCode = await command();
  } catch (error) {
    const message = cleanText(error instanceof Error ? error.message : String(error), secretsOf(process.env));
    process.stderr.write(`error: ${message}\n`);
    process.exitCode = error instanceof CompareError ? USAGE : BROKEN;
  }
}
