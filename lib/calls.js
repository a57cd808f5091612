import { ConfigError } from '../contract/config-error.js';

/**
 * REQUESTS calls from CONCURRENCY users (-n and -c, as command line load generators call them) in place of a shape's
 * own. A phase of users that call in a loop has both; a shape with more than one of them compares their numbers.
 *
 * @param {string} test
 * @param {import('./phases.js').Phase[]} shape
 * @param {{REQUESTS: number | null, CONCURRENCY: number | null}} config
 * @returns {import('./phases.js').Phase[]}
 * @throws {ConfigError} where there is no such phase, or more than one, or there are fewer calls than users
 */
export function withCalls(test, shape, { REQUESTS: requests, CONCURRENCY: concurrency }) {
  if (requests === null && concurrency === null) return shape;
  const closed = shape.filter(({ vus }) => vus !== undefined);
  if (closed.length !== 1) {
    throw new ConfigError(
      `${requests === null ? 'CONCURRENCY' : 'REQUESTS'} is set, and the test ${test} has ` +
        `${closed.length === 0 ? 'no phase' : `${closed.length} phases`} of users that call in a loop; ` +
        'valid: a test with exactly one, such as load',
    );
  }
  return shape.map((phase) => {
    if (phase !== closed[0]) return phase;
    const vus = concurrency ?? phase.vus ?? 1;
    const iterations = requests ?? phase.iterations;
    if (iterations !== undefined && iterations < vus) {
      throw new ConfigError(
        `REQUESTS is ${iterations}, fewer than CONCURRENCY=${vus}; valid: at least one call for each user`,
      );
    }
    return { ...phase, vus, ...(iterations !== undefined && { iterations }) };
  });
}
