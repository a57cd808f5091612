import { ConfigError } from '../contract/config-error.js';

/**
 * Replaces the load of a shape by REQUESTS calls from CONCURRENCY VUs, like the options -n and -c of command
 * line load generators. The shape must have exactly one phase with looping VUs, because a shape with several
 * such phases compares numbers of VUs.
 *
 * @param {string} test
 * @param {import('./phases.js').Phase[]} shape
 * @param {{REQUESTS: number | null, CONCURRENCY: number | null}} config
 * @returns {import('./phases.js').Phase[]}
 * @throws {ConfigError} if there is no such phase or more than one, or if there are fewer calls than VUs
 */
export function withCalls(test, shape, { REQUESTS: requests, CONCURRENCY: concurrency }) {
  if (requests === null && concurrency === null) return shape;
  const closed = shape.filter(({ vus }) => vus !== undefined);
  if (closed.length !== 1) {
    throw new ConfigError(
      `${requests === null ? 'CONCURRENCY' : 'REQUESTS'} needs a test with exactly one closed phase, such as load; ` +
        `${test} has ${closed.length || 'none'}`,
    );
  }
  return shape.map((phase) => {
    if (phase !== closed[0]) return phase;
    const vus = concurrency ?? phase.vus ?? 1;
    const iterations = requests ?? phase.iterations;
    if (iterations !== undefined && iterations < vus) {
      throw new ConfigError(
        `REQUESTS is ${iterations}, fewer than CONCURRENCY=${vus}; valid: at least one call per VU`,
      );
    }
    return { ...phase, vus, ...(iterations !== undefined && { iterations }) };
  });
}
