/**
 * How long does each operation on a resource take? One VU calls the operations in sequence, as in the
 * benchmark document. Calls that involve the certificate authority take seconds. They have no warm-up, and
 * only PROFILE=full makes all of them.
 */
import { defineTest } from '../../lib/test.js';
import npm from '../../workloads/npm.js';

/** @param {string} suite @param {number} iterations @param {string[]} operations */
const suite = (suite, iterations, operations) =>
  operations.map((operation, index) => ({
    name: operation,
    operation,
    iterations,
    warmUps: 20,
    labels: { suite },
    ...(index === 0 && { pause: '5s' }),
  }));

/**
 * @param {string} suite
 * @param {string} operation
 * @param {number} iterations
 * @param {number} quick
 * @param {string} [takes]
 */
const slow = (suite, operation, iterations, quick, takes) => ({
  name: operation,
  operation,
  iterations,
  quick,
  ...(takes && { takes }),
  labels: { suite, authority: 'yes' },
});

const FIVE_HUNDRED = { proxy_hosts: 300, certificates: 100, access_lists: 50, streams: 50 };

export const { options, setup, iterate, teardown } = defineTest({
  name: 'crud',
  title: 'each operation on proxy hosts, certificates, access lists and streams',
  group: 'resources behind an API',
  about:
    'every operation on proxy hosts, certificates, access lists and streams: 20 warm-up calls, 50 to 100 calls, three repetitions',
  judgedBy: 'median p95: list < 50 ms, create < 200 ms, update < 150 ms, bulk < 1 s per 10 items',
  servers: 'operations',
  covers: [
    'NPM MCP server: Throughput Benchmarks',
    'NPM MCP server: Latency Benchmarks',
    'NPM MCP server: Performance Budget',
  ],
  workload: npm,
  repetitions: 3,
  sequence: {
    longest: '60m',
    steps: [
      { name: 'fill', operation: 'fill', iterations: 1, measured: false, once: true },
      {
        name: 'fill-export',
        operation: 'fill',
        iterations: 1,
        measured: false,
        once: true,
        labels: { instance: 'export', ...FIVE_HUNDRED },
      },
      ...suite('list', 100, ['list_proxy_hosts', 'list_certificates', 'list_access_lists', 'list_streams']),
      ...suite('get', 100, ['get_proxy_host', 'get_certificate']),
      ...suite('create', 50, ['create_proxy_host', 'create_access_list', 'create_stream']),
      slow('create', 'create_certificate', 50, 20, '3.3s'),
      ...suite('update', 50, ['update_proxy_host', 'update_access_list']),
      slow('update', 'renew_certificate', 50, 20, '2.2s'),
      // Created resources are removed, so that all repetitions list the same number.
      ...suite('delete', 50, ['delete_proxy_host', 'delete_access_list', 'delete_stream']),
      slow('delete', 'delete_certificate', 50, 20),
      ...suite('bulk', 50, ['bulk_toggle_hosts']),
      { name: 'fill-batches', operation: 'fill_batch', iterations: 50, measured: false },
      {
        name: 'bulk_delete_resources',
        operation: 'bulk_delete_resources',
        iterations: 50,
        labels: { suite: 'bulk' },
      },
      {
        ...slow('bulk', 'bulk_renew_certificates', 20, 4, '3.1s'),
        labels: { suite: 'bulk', items: 5, authority: 'yes' },
      },
      {
        name: 'export_configuration',
        operation: 'export_configuration',
        iterations: 50,
        warmUps: 5,
        pause: '5s',
        labels: { suite: 'transfer', instance: 'export', resources: 500 },
      },
      {
        name: 'import_configuration',
        operation: 'import_configuration',
        iterations: 20,
        labels: { suite: 'transfer', resources: 500, ...FIVE_HUNDRED },
      },
      { name: 'remove-imports', operation: 'remove_imports', iterations: 20, measured: false },
    ],
  },
  cleanUp: 'remove_all',
  objectives: { each: { failure_rate: 0.01 } },
});
