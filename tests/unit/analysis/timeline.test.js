import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timesOf } from '../../../analysis/collect/grid.ts';
import { gridOf, signalsOverTime, timelineOf, validateTimeline } from '../../../analysis/collect/timeline.ts';
import { histogramOf, summary } from './build.js';

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

test("signals are this server's, with their source, on the grid", async () => {
  const { asked, client } = prometheus(() => [
    { labels: { __name__: 'signal:cpu:ratio', server: 'reference' }, value: 0.5 },
    { labels: { __name__: 'signal:cpu:ratio', server: 'other' }, value: 0.9 },
    { labels: { __name__: 'signal:host_cpu:ratio' }, value: 0.7123456789 },
    { labels: { __name__: 'signal:generator_cpu:ratio', testid: 'spike-2' }, value: 0.1 },
    {
      labels: { __name__: 'signal:db_clients:count', source: 'connections', destination: 'Redis' },
      value: 3,
    },
  ]);
  const signals = await signalsOverTime(client, SUBJECT, [phase(0, 4)]);
  assert.deepEqual(signals, {
    cpu: { unit: 'ratio', values: [0.5, 0.5, 0.5, 0.5] },
    host_cpu: { unit: 'ratio', values: [0.712346, 0.712346, 0.712346, 0.712346] },
    db_clients: { unit: 'count', values: [3, 3, 3, 3], source: 'connections', destination: 'Redis' },
  });
  assert.deepEqual(
    asked.map(({ fromS, toS, stepS }) => [fromS, toS, stepS]),
    [[START_S, START_S + 6, 2]],
  );
});

test('operations have a rate and a mean of each phase, whatever a server calls them; there are no signals but these', () => {
  const made = summary({ startedMs: 1000 * START_S, phases: [{ name: 'calm', figures: {} }] });
  const group = (/** @type {string} */ operation) => ({
    ...{ phase: 'calm', operation, durations: { ok: histogramOf(50, 40) } },
  });
  const groups = [...made.groups, group('echo'), group('__proto__')];
  const facts = { summary: { ...made, groups }, watches: [], secrets: [] };
  const signals = { cpu: { unit: 'ratio', values: [] } };
  const timeline = timelineOf(facts, [{ ...phase(0, 20), name: 'calm', duration_s: 20 }], [], signals);
  assert.equal(validateTimeline(JSON.parse(JSON.stringify(timeline))), null);
  const echo = { rate: 2, mean_s: 0.0500312 };
  assert.equal(
    JSON.stringify(timeline?.operations),
    JSON.stringify({ calm: { echo } }).replace('}}}', `},"__proto__":${JSON.stringify(echo)}}}`),
  );
  assert.deepEqual(Object.keys(timeline?.signals ?? {}), ['cpu']);
  assert.ok(timesOf(/** @type {any} */ (timeline)).length > 10);
  assert.equal(timelineOf(facts, [], [], {}), null);
});

test('of a long run a point is the mean of its step, asked of the very series', async () => {
  const { asked, client } = prometheus((query) => {
    if (query.startsWith('{__name__'))
      return [
        { labels: { __name__: 'signal:cpu:ratio', server: 'reference', source: 'process' }, value: 0.5 },
      ];
    return query.startsWith('avg_over_time') ? [{ labels: {}, value: 0.25 }] : [];
  });
  const signals = await signalsOverTime(client, SUBJECT, [phase(0, 7200)]);
  assert.equal(signals.cpu?.values[0], 0.25);
  assert.equal(
    asked.find(({ query }) => query.startsWith('avg_over_time'))?.query,
    'avg_over_time(signal:cpu:ratio{server="reference",source="process",testid=""}[6s])',
  );
});

test('what is no timeline is told', () => {
  assert.match(validateTimeline({ schema: 'mcp-load-lab/timeline/1' }) ?? '', /testid/);
});
