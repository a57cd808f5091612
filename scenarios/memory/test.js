/**
 * How much memory does the server use? This script is the load of one trial (trials.ts): the target caches users
 * or opens its pooled connections.
 */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

let cached = 0;
function nextUser() {
  cached += 1;
  return { user_id: cached };
}

/** @type {Record<string, Partial<import('../../lib/test.js').TestDefinition>>} */
const PARTS = {
  cache: {
    sequence: {
      longest: '5m',
      steps: [{ name: 'cache', operation: 'cache_user', iterations: Number(__ENV.CACHED) || 5000 }],
    },
  },
  // More VUs than any pool has connections, so that all connections are opened. The smallest pool of two
  // connections limits how many VUs may wait.
  pool: { phases: [{ name: 'pool', operation: 'search_users', vus: 60, iterations: 600, duration: '30s' }] },
};

export const { options, setup, iterate } = defineTest({
  name: 'memory',
  title: 'idle memory, memory per cached user and per pooled connection',
  group: 'limits and tuning',
  about: 'idle memory of the reference target, memory per cached resource and per pooled connection',
  judgedBy: 'failures < 1%',
  servers: 'reference',
  does: 'restarts the reference target with other settings and reads the memory of its processes',
  covers: [
    'NPM MCP server: Baseline Memory',
    'NPM MCP server: Resource Caching',
    'NPM MCP server: Connection Pool',
    'NPM MCP server: Multi-Instance',
  ],
  workload: {
    ...reference,
    operations: {
      ...reference.operations,
      // Each call requests another user, which adds one entry to the cache.
      cache_user: { class: 'read', tool: 'get_user', args: nextUser },
    },
  },
  asWritten: true,
  warmUp: '1s',
  ...PARTS[__ENV.PART || 'pool'],
  objectives: { each: { failure_rate: 0.01 } },
});
