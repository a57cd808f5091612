import assert from 'node:assert/strict';
import { command } from '../lab.js';
import { toolPath } from '../tool.js';

/**
 * Runs a k6 script of this folder, which must get to its end with every check held. (k6 takes a script that throws before
 * its first check for a success: a threshold without samples holds.)
 *
 * @param {string} script
 * @param {Record<string, string>} env
 */
export async function passes(script, env) {
  const { code, output } = await command(toolPath('k6'), ['run', '--address', '', `tests/k6/${script}`], env);
  assert.equal(code, 0, output.slice(-6000));
  assert.doesNotMatch(output, /source=stacktrace/);
  assert.match(output, /checks_succeeded\.*: 100\.00%/);
}
