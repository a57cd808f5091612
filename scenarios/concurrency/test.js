/** How much faster are concurrent calls? */
import { defineTest } from '../../lib/test.js';
import npm from '../../workloads/npm.js';

/** @param {string} operation @param {number} iterations @param {number[]} users */
const levels = (operation, iterations, users) =>
  users.map((vus) => ({
    name: `${operation}-${vus}`,
    operation,
    vus,
    iterations,
    duration: '4s',
    leadIn: /** @type {const} */ (true),
    labels: { users: vus },
  }));

export const { options, setup, iterate, teardown } = defineTest({
  name: 'concurrency',
  title: '50 lists and 20 creations with 1, 5, 10, 20 and 50 VUs',
  group: 'resources behind an API',
  about: '50 lists and 20 creations with 1, 5, 10, 20 and 50 VUs; recommends a number',
  judgedBy: 'failures < 1%',
  servers: 'operations',
  covers: ['NPM MCP server: Concurrency Benchmarks'],
  workload: npm,
  prepare: 'fill',
  repetitions: 3,
  phases: [
    // The largest level comes first. The warm-up has the same number of VUs and opens all connections.
    ...levels('list_proxy_hosts', 50, [50, 20, 10, 5, 1]),
    // No level of 50: 20 calls keep at most 20 VUs busy.
    ...levels('create_proxy_host', 20, [20, 10, 5, 1]),
  ],
  cleanUp: 'remove_all',
  objectives: { each: { failure_rate: 0.01 } },
});
