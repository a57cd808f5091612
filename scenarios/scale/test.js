/** How does the latency of a list grow with the number of resources? One VU, three repetitions. */
import { defineTest } from '../../lib/test.js';
import npm from '../../workloads/npm.js';

/**
 * Calls by size of the list. Short lists need more calls, because the server's memory is read every two
 * seconds.
 */
const LISTS = { 10: 1000, 50: 600, 100: 400, 500: 120, 1000: 60, 5000: 20 };
const MOST_IN_ONE_IMPORT = 500;

/** @param {[string, number]} size */
const fill = ([size]) => ({
  name: `fill-${size}`,
  operation: 'fill',
  iterations: Math.ceil(Number(size) / MOST_IN_ONE_IMPORT),
  measured: /** @type {const} */ (false),
  once: /** @type {const} */ (true),
  labels: { instance: `size-${size}`, proxy_hosts: Math.min(Number(size), MOST_IN_ONE_IMPORT) },
});

/** @param {[string, number]} size */
const lists = ([size, iterations]) => {
  const labels = { instance: `size-${size}`, resources: Number(size) };
  return [
    {
      name: `all-${size}`,
      warmUps: 5,
      operation: 'list_proxy_hosts',
      iterations,
      takes: `${Math.ceil(Number(size) / 30)}ms`,
      labels: { ...labels, what: 'all' },
    },
    {
      name: `page-${size}`,
      warmUps: 5,
      operation: 'page_proxy_hosts',
      iterations: 100,
      labels: { ...labels, what: 'page', limit: 50 },
    },
  ];
};

const THOUSAND = { instance: 'size-1000', items: 1000, all: 1, batch: 10 };

/** @param {number} items @param {number} quick @param {string} takes */
const renew = (items, quick, takes) => ({
  name: `renew-${items}`,
  operation: 'bulk_renew_certificates',
  iterations: 100 / items,
  quick,
  takes,
  once: /** @type {const} */ (true),
  labels: { instance: 'certificates', items, what: 'renew' },
});

export const { options, setup, iterate, teardown } = defineTest({
  name: 'scale',
  title: 'complete and paged lists of 10 to 5,000 resources, and operations on 1,000 hosts at once',
  group: 'resources behind an API',
  about: 'complete and paged lists of 10 to 5,000 resources: how latency grows with the number of resources',
  judgedBy: 'failures < 1%',
  servers: 'operations',
  covers: ['NPM MCP server: Resource Count Impact', 'NPM MCP server: Bulk Operations at Scale'],
  workload: npm,
  repetitions: 3,
  sequence: {
    longest: '60m',
    steps: [
      ...Object.entries(LISTS).map(fill),
      {
        ...fill(['1', 1]),
        name: 'fill-certificates',
        labels: { instance: 'certificates', certificates: 100 },
      },
      {
        ...fill(['1', 1]),
        name: 'certificates',
        operation: 'list_certificates',
        labels: { instance: 'certificates' },
      },
      ...Object.entries(LISTS).flatMap(lists),
      ...['disable', 'enable'].map((what) => ({
        name: what,
        operation: 'bulk_toggle_hosts',
        iterations: 5,
        labels: { ...THOUSAND, what },
      })),
      {
        name: 'export',
        operation: 'export_configuration',
        iterations: 20,
        labels: { instance: 'size-1000', resources: 1000, what: 'export' },
      },
      ...[renew(1, 5, '2.2s'), renew(5, 3, '2.7s'), renew(10, 3, '3.2s')],
    ],
  },
  cleanUp: 'remove_all',
  objectives: { each: { failure_rate: 0.01 } },
});
