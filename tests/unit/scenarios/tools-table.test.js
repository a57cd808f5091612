import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countedIn, near, runOf, summary } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

const COUNTED = /** @type {Record<string, number>} */ ({
  'request_duration_seconds_count{job="target",endpoint="generate_report"}': 100,
  'database_queries_total{job="target",tool="generate_report"}': 1500,
  'request_duration_seconds_count{job="target",endpoint="get_user"}': 1000,
  'database_queries_total{job="target",tool="get_user"}': 200,
  'cache_hits_total{job="target",tool="get_user"}': 800,
  'cache_misses_total{job="target",tool="get_user"}': 200,
  'request_duration_seconds_count{job="target",endpoint="fetch_weather"}': 400,
  'database_queries_total{job="target",tool="fetch_weather"}': 0,
  'upstream_request_duration_seconds_count{job="target"}': 400,
  'upstream_request_duration_seconds_sum{job="target"}': 260,
  'upstream_timeouts_total{job="target"}': 2,
  'circuit_breaker_trips_total{job="target"}': 1,
});

const PHASES = ['get_user', 'generate_report', 'fetch_weather'].map((name) => ({
  name,
  operation: name,
  offered_rps: null,
  vus: 10,
  figures: { iterations: 1000, p99: 50 },
}));

/** @param {Record<string, number>} counts */
async function tableOf(counts) {
  const run = await runOf(
    { summary: summary({ phases: PHASES, plan: { test: 'tools' } }) },
    { increases: countedIn(PHASES, counts) },
  );
  return run.tables[0];
}

test('each tool has its own queries a call, look-ups, and only one has calls of a service elsewhere', async () => {
  const table = await tableOf(COUNTED);
  const elsewhere = { upstream: null, timeouts: null, trips: null };
  near(
    rowsOf(table).map(({ items, ...row }) => row),
    [
      { tool: 'get_user', calls: 50, p99: 50, 'queries/call': 0.2, hits: 0.8, ...elsewhere },
      { tool: 'generate_report', calls: 50, p99: 50, 'queries/call': 15, hits: null, ...elsewhere },
      {
        ...{ tool: 'fetch_weather', calls: 50, p99: 50, 'queries/call': 0, hits: null },
        ...{ upstream: 650, timeouts: 0.005, trips: 1 },
      },
    ],
  );
  assert.match(table?.notes.join(' ') ?? '', /get_user 1,200\/s at p99 180 ms/);
});

test("of a server that nobody watches there are the client's figures alone", async () => {
  const table = await tableOf({});
  for (const { tool, calls, items, p99, ...own } of rowsOf(table))
    assert.deepEqual(own, { 'queries/call': null, hits: null, upstream: null, timeouts: null, trips: null });
});
