import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timesOf } from '../../../analysis/grid.ts';
import { collectTimeline, gridOf, validateTimeline } from '../../../analysis/timeline.ts';

const START_S = 1_700_000_000;
/** @param {number} fromS @param {number} toS of the run */
const phase = (fromS, toS) =>
  /** @type {any} */ ({
    start: new Date((START_S + fromS) * 1000).toISOString(),
    end: new Date((START_S + toS) * 1000).toISOString(),
  });
const SUBJECT = { testid: 'spike-1', server: 'reference' };

/**
 * @param {(query: string) => {labels: Record<string, string | undefined>, value: number, histogram?: {count: number, sum: number}}[]} answer
 * @returns what Prometheus would be: each series has the same value at every step; and what it was asked
 */
function prometheus(answer) {
  /** @type {{query: string, fromS: number, toS: number, stepS: number}[]} */
  const asked = [];
  const queryRange = async (
    /** @type {string} */ query,
    /** @type {number} */ fromS,
    /** @type {number} */ toS,
    /** @type {number} */ stepS,
  ) => {
    asked.push({ query, fromS, toS, stepS });
    return answer(query).map(({ labels, value }) => ({
      labels,
      points: Array.from({ length: Math.floor((toS - fromS) / stepS) + 1 }, (_, index) => [
        fromS + index * stepS,
        value,
      ]),
    }));
  };
  const query = async (/** @type {string} */ expression, /** @type {number} */ atS) => {
    asked.push({ query: expression, fromS: atS, toS: atS, stepS: 0 });
    return answer(expression);
  };
  return { asked, client: /** @type {any} */ ({ queryRange, query }) };
}

test('a grid is of steps of two seconds from the first phase to two seconds after the last', () => {
  assert.deepEqual(gridOf([phase(0, 10), phase(10, 60)]), {
    start_s: START_S,
    step_s: 2,
    count: 32,
    window_s: 6,
  });
  assert.equal(gridOf([/** @type {any} */ ({ start: null, end: null })]), null);
});

test('of a day there are no more points than of an hour, each of which stands for all of its step', () => {
  const grid = gridOf([phase(0, 86_400)]);
  assert.ok(grid);
  assert.equal(grid.window_s, grid.step_s);
  assert.ok(grid.count <= 1800 && grid.count > 1700, String(grid.count));
  assert.ok(grid.start_s + (grid.count - 1) * grid.step_s >= START_S + 86_400 - grid.step_s);
});

test('every query is of this run, has no variable left, and is on the grid', async () => {
  const { asked, client } = prometheus(() => []);
  const timeline = await collectTimeline(client, SUBJECT, [phase(0, 20)]);
  assert.deepEqual(timeline?.client, {});
  assert.ok(asked.length > 10);
  for (const { query, fromS, toS, stepS } of asked) {
    assert.ok(!query.includes('$'), query);
    assert.ok(query.includes('testid="spike-1"') || query.includes('signal:'), query);
    if (query.includes('operation')) assert.deepEqual([fromS, query.includes('[24s]')], [START_S + 24, true]);
    else assert.deepEqual([fromS, toS, stepS], [START_S, START_S + 22, 2]);
  }
});

test("latency is in milliseconds, failures are by kind, signals are this server's", async () => {
  const { client } = prometheus((query) => {
    if (query.startsWith('histogram_quantile(0.99')) return [{ labels: {}, value: 0.0123456789 }];
    if (query.includes('by (kind)')) return [{ labels: { kind: 'timeout' }, value: 3 }];
    if (query.startsWith('{__name__')) {
      return [
        { labels: { __name__: 'signal:cpu:ratio', server: 'reference' }, value: 0.5 },
        { labels: { __name__: 'signal:cpu:ratio', server: 'other' }, value: 0.9 },
        { labels: { __name__: 'signal:host_cpu:ratio' }, value: 0.7 },
        { labels: { __name__: 'signal:generator_cpu:ratio', testid: 'spike-2' }, value: 0.1 },
      ];
    }
    return [];
  });
  const timeline = await collectTimeline(client, SUBJECT, [phase(0, 4)]);
  assert.ok(timeline);
  assert.equal(validateTimeline(timeline), null);
  assert.deepEqual(timesOf(timeline), [START_S, START_S + 2, START_S + 4, START_S + 6]);
  assert.deepEqual(timeline.client, {
    p99: { unit: 'milliseconds', values: [12.3457, 12.3457, 12.3457, 12.3457] },
    failures_timeout: { unit: 'rate', values: [3, 3, 3, 3] },
  });
  assert.deepEqual(Object.keys(timeline.signals), ['cpu', 'host_cpu']);
  assert.deepEqual(timeline.signals.cpu, { unit: 'ratio', values: [0.5, 0.5, 0.5, 0.5] });
});

test('operations have a rate and a mean of each phase, whatever a server calls them; a signal has its source', async () => {
  const histogram = { count: 40, sum: 2 };
  const { client } = prometheus((query) => {
    if (query.startsWith('{__name__'))
      return [
        {
          labels: {
            __name__: 'signal:db_clients:count',
            server: 'reference',
            source: 'connections',
            destination: 'Redis',
          },
          value: 3,
        },
      ];
    if (!query.includes('operation')) return [];
    return ['echo', '__proto__'].map((operation) => ({
      labels: { phase: 'calm', operation },
      value: Number.NaN,
      histogram,
    }));
  });
  const timeline = await collectTimeline(client, SUBJECT, [
    { ...phase(0, 20), name: 'calm', duration_s: 20 },
  ]);
  assert.equal(validateTimeline(JSON.parse(JSON.stringify(timeline))), null);
  assert.equal(
    JSON.stringify(timeline?.operations),
    '{"calm":{"echo":{"rate":2,"mean_s":0.05},"__proto__":{"rate":2,"mean_s":0.05}}}',
  );
  const { source, destination } = timeline?.signals.db_clients ?? {};
  assert.deepEqual([source, destination], ['connections', 'Redis']);
});

test('of a long run a point is the mean of its step, asked of the very series', async () => {
  const { asked, client } = prometheus((query) => {
    if (query.startsWith('{__name__'))
      return [
        { labels: { __name__: 'signal:cpu:ratio', server: 'reference', source: 'process' }, value: 0.5 },
      ];
    return query.startsWith('avg_over_time') ? [{ labels: {}, value: 0.25 }] : [];
  });
  const timeline = await collectTimeline(client, SUBJECT, [phase(0, 7200)]);
  assert.equal(timeline?.signals.cpu?.values[0], 0.25);
  assert.equal(
    asked.find(({ query }) => query.startsWith('avg_over_time'))?.query,
    'avg_over_time(signal:cpu:ratio{server="reference",source="process",testid=""}[6s])',
  );
});

test('what is no timeline is told', () => {
  assert.match(validateTimeline({ schema: 'mcp-load-lab/timeline/1' }) ?? '', /testid/);
});
