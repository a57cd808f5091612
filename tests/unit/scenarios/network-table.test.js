import assert from 'node:assert/strict';
import { test } from 'node:test';
import { near, runOf, summary } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

/** @param {number} count @param {Record<string, number>} [values] */
const trend = (count, values = {}) => ({ type: 'trend', contains: 'time', values: { count, ...values } });
/** @param {number} count */
const counter = (count) => ({ type: 'counter', contains: 'default', values: { count } });

const SIZES = [
  { operation: 'list_proxy_hosts', request: 366, plain: 120_000, gzip: 30_000 },
  { operation: 'get_user', request: 312, plain: 633, gzip: null },
];

/** @param {Record<string, any>} metrics @param {string[]} parts */
async function networkOf(metrics, parts = ['traffic', 'connections']) {
  const phases = parts.map((part) => ({
    name: part === 'traffic' ? 'traffic-normal' : part,
    labels: { part },
    offered_rps: 50,
    figures: { iterations: 1000, failures: { connect: part === 'connections' ? 2 : 0 } },
  }));
  const run = await runOf({
    summary: summary({ phases, plan: { test: 'network' }, metrics }),
    trials: { trials: [], error: null, result: { sizes: SIZES } },
  });
  const [sizes, bandwidth, connections = []] = run.tables.map(rowsOf);
  return {
    sizes,
    bandwidth,
    connections: Object.fromEntries(connections.map((row) => [row.connections, row.value])),
  };
}

test('sizes, what gzip saves, bandwidth both ways', async () => {
  const { sizes, bandwidth } = await networkOf({
    'data_sent{phase:traffic-normal}': counter(500_000),
    'data_received{phase:traffic-normal}': counter(2_000_000),
  });
  assert.deepEqual(sizes, [
    { operation: 'list_proxy_hosts', request: 366, answer: 120_000, 'with gzip': 30_000, saved: 0.75 },
    { operation: 'get_user', request: 312, answer: 633, 'with gzip': null, saved: null },
  ]);
  assert.deepEqual(bandwidth, [
    {
      ...{ traffic: 'normal', calls: 50, sent: 25_000, received: 100_000 },
      ...{ bandwidth: '1 Mbit/s', 'of 1 Gbit/s': 0.001 },
    },
  ]);
});

test('connections: how long one takes, how many were used again, how many failed', async () => {
  const { connections } = await networkOf({
    'mcp_connections{phase:traffic-normal}': counter(15),
    'mcp_connections{phase:connections}': counter(998),
    'mcp_request_connecting{phase:connections}': trend(998, {
      ...{ min: 0.1, avg: 0.5, 'p(50)': 0.2, 'p(75)': 0.3, 'p(90)': 0.4 },
      ...{ 'p(95)': 0.5, 'p(99)': 1, 'p(99.9)': 1, max: 1 },
    }),
    'mcp_keep_alive_seconds{phase:connections}': { type: 'gauge', values: { min: 75, max: 75, value: 75 } },
  });
  near(connections, {
    'connection set-up (TCP)': '0.2 ms',
    'TLS handshake': null,
    'keep-alive timeout': '75 s',
    'connections opened': '15',
    reuse: '98.5 %',
    'failed connections': '0.197 %',
  });
});

test('where nothing was opened there is no figure', async () => {
  const { connections } = await networkOf({}, ['plain']);
  assert.deepEqual(
    [
      connections['connection set-up (TCP)'],
      connections['keep-alive timeout'],
      connections['failed connections'],
    ],
    [null, null, null],
  );
});
