/** How much faster are batches if the authority takes seconds per certificate? */
import { defineTest } from '../../lib/test.js';
import npm from '../../workloads/npm.js';

/** @param {number} items */
const toggle = (items) => ({
  name: `toggle-${items}`,
  operation: 'bulk_toggle_hosts',
  iterations: 100 / items,
  warmUps: 5,
  labels: { items, what: 'toggle' },
});

/**
 * @param {number} items
 * @param {number} quick number of calls in all profiles except full
 * @param {string} takes
 */
const renew = (items, quick, takes) => ({
  name: `renew-${items}`,
  operation: 'bulk_renew_certificates',
  iterations: Math.ceil(50 / items),
  quick,
  takes,
  labels: { items, what: 'renew' },
});

/**
 * An unmeasured call that prepares the test and collects the ids.
 *
 * @param {string} name
 * @param {string} operation
 */
const prepare = (name, operation) => ({
  name,
  operation,
  iterations: 1,
  measured: /** @type {const} */ (false),
  once: /** @type {const} */ (true),
});

export const { options, setup, iterate, teardown } = defineTest({
  name: 'bulk',
  title: 'batches of 1 to 50 hosts, and of 1 to 20 certificates',
  group: 'resources behind an API',
  about: '100 changes and 50 certificate renewals in batches of 1 to 50',
  judgedBy: 'failures < 1%',
  servers: 'operations',
  covers: ['NPM MCP server: Batch Size Impact', 'NPM MCP server: Certificate Renewal'],
  workload: npm,
  repetitions: 3,
  sequence: {
    longest: '60m',
    steps: [
      prepare('fill', 'fill'),
      prepare('hosts', 'list_proxy_hosts'),
      prepare('certificates', 'list_certificates'),
      ...[1, 5, 10, 20, 50].map(toggle),
      renew(1, 10, '2.2s'),
      renew(5, 4, '2.8s'),
      renew(10, 3, '3.2s'),
      renew(20, 3, '3.4s'),
    ],
  },
  cleanUp: 'remove_all',
  objectives: { each: { failure_rate: 0.01 } },
});
