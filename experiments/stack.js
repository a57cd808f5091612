import { readFileSync } from 'node:fs';

/**
 * The parts of the stack that are up, as a program on this machine reaches them.
 *
 * @param {NodeJS.ProcessEnv} env as `loadStack` of cli/stack.ts leaves it
 */
export function stackOf({ RUN_DIR = '', POSTGRES_PORT }) {
  const lines = readFileSync(`${RUN_DIR}/secrets.env`, 'utf8').trim().split('\n');
  /** @type {Record<string, string>} */
  const secrets = Object.fromEntries(lines.map((line) => line.split('=')));
  return { runDir: RUN_DIR, postgresPort: Number(POSTGRES_PORT), secrets };
}
