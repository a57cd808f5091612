/**
 * How many bytes does the server send and receive? Each part is a separate k6 run (trials.ts). On other
 * servers, the whole workload replaces the reference target's operations.
 */
import { defineTest } from '../../lib/test.js';
import npm from '../../workloads/npm.js';
import reference from '../../workloads/reference.js';

const both = {
  ...npm,
  operations: { ...npm.operations, ...reference.operations },
  mixes: {
    ...reference.mixes,
    traffic: { ...reference.mixes.mixed, process_batch: 1, export_configuration: 1 },
  },
};
const FIVE_HUNDRED = {
  instance: 'export',
  proxy_hosts: 300,
  certificates: 100,
  access_lists: 50,
  streams: 50,
};
const fill = { operation: 'fill', iterations: 1, measured: /** @type {const} */ (false) };

/**
 * @param {string} operation
 * @param {number} [iterations]
 * @param {import('../../lib/phases.js').Labels} [labels]
 */
const sizeOf = (operation, iterations = 20, labels) => ({
  name: operation,
  operation,
  iterations,
  ...(labels && { labels }),
});

/** @type {Record<string, Partial<import('../../lib/test.js').TestDefinition>>} */
const PARTS = {
  sizes: {
    sequence: {
      longest: '5m',
      steps: [
        { ...fill, name: 'fill' },
        { ...fill, name: 'fill-export', labels: FIVE_HUNDRED },
        sizeOf('list_proxy_hosts'),
        sizeOf('get_proxy_host'),
        sizeOf('create_proxy_host'),
        sizeOf('update_proxy_host'),
        sizeOf('list_certificates'),
        sizeOf('export_configuration', 10, { instance: 'export' }),
        sizeOf('get_user'),
        sizeOf('search_users'),
        sizeOf('generate_report'),
        sizeOf('process_batch'),
      ],
    },
  },
  traffic: {
    prepare: 'fill',
    mix: 'traffic',
    phases: [
      { name: 'idle', rate: 1, users: 2, duration: '10s', operation: 'get_user' },
      { name: 'normal', rate: 50, duration: '10s', mix: 'mixed' },
      { name: 'bulk', vus: 10, duration: '10s', operation: 'process_batch', labels: { items: 100 } },
      { name: 'transfer', vus: 2, duration: '10s', operation: 'export_configuration' },
    ],
  },
  connections: {
    newConnections: true,
    phases: [{ name: 'connect', vus: 5, iterations: 500, duration: '60s', operation: 'get_user' }],
  },
  // For other servers: all their operations.
  all: { mix: 'mixed', phases: [{ name: 'load', vus: 20, duration: '10s' }] },
  'all-connections': {
    mix: 'mixed',
    newConnections: true,
    phases: [{ name: 'connect', vus: 5, iterations: 500, duration: '60s' }],
  },
};
// `make plan` and the check before a run do not set a part. The other parts need the reference target's operations.
const whole = __ENV.REFERENCE_TARGET === '' || __ENV.WORKLOAD || __ENV.TOOL;
const part = __ENV.PART || (whole ? 'all' : 'traffic');

export const { options, setup, iterate, teardown } = defineTest({
  name: 'network',
  title: 'sizes with and without gzip, bandwidth, connections',
  group: 'limits and tuning',
  about:
    'request and response sizes with and without gzip, bandwidth, connection setup, connection reuse, failures',
  judgedBy: 'failures < 1%',
  servers: 'any',
  covers: [
    'MCP server: Network Recommendations',
    'NPM MCP server: Request/Response Sizes',
    'NPM MCP server: Bandwidth Utilization',
    'NPM MCP server: Connection Behavior',
  ],
  workload: both,
  asWritten: true,
  warmUp: '2s',
  observe: true,
  ...PARTS[part],
  ...(!part.startsWith('all') && { cleanUp: 'remove_all' }),
  objectives: { each: { failure_rate: 0.01 } },
});
