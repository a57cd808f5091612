/** Notifications that NOTIFY_TOOL causes on held streams: arrived, lost, late. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statementsOf } from '../../statements.js';
import { runOf, STARTED_MS, summary, trend } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

const HELD = [0, 10, 30, 0];

/** @param {[received: number, p99: number][]} steps of 10 and 30 streams @param {{passes: number, fails: number}} [calls] */
const notified = (steps, calls = { passes: 4, fails: 0 }) => {
  const phases = HELD.map((streams, index) => ({
    ...{ name: `phase-${index}`, labels: { streams: String(streams) }, offered_rps: 20 },
    figures: { iterations: 1000, requests: 1000, p99: 10 },
  }));
  const metrics = Object.fromEntries(
    steps.flatMap(([received, p99], index) => [
      [`mcp_notify_calls{phase:phase-${index + 1}}`, { values: calls }],
      ...(received > 0
        ? [[`mcp_notification_delay{phase:phase-${index + 1}}`, { values: trend(p99, received) }]]
        : []),
    ]),
  );
  const run = summary({ plan: { test: 'streams' }, phases, metrics });
  const held = HELD.map((count, index) => ({
    at: STARTED_MS + (run.plan.phases[index]?.start_s ?? 0) * 1000,
    count,
  }));
  return runOf({
    summary: { ...run, streams: [{ asked: 30, opened: 30, lost: 0, messages: 160, held }] },
  });
};

/** @param {Awaited<ReturnType<typeof notified>>} run */
const textOf = ({ findings }) => statementsOf(findings, 'streams');

test('all arrived', async () => {
  const run = await notified([
    [40, 10],
    [120, 100],
  ]);
  const text = textOf(run);
  assert.match(text, /^all 160 notifications of 8 NOTIFY_TOOL calls arrived$/m);
  assert.match(text, /^p95 of the notifications' delay: 9\S* ms with 10 streams, 90\S* ms with 30 streams$/m);
  const table = run.tables.find(({ title }) => title === 'Notifications');
  assert.deepEqual(
    rowsOf(table).map(({ streams, expected, received }) => [streams, expected, received]),
    [
      [10, 40, 40],
      [30, 120, 120],
    ],
  );
});

test('some did not arrive', async () => {
  const run = await notified([
    [40, 10],
    [90, 100],
  ]);
  assert.match(textOf(run), /^30 of 160 notifications did not arrive, the first with 30 streams held$/m);
});

test('two per call are expected from a server that sends two', async () => {
  const run = await notified([
    [80, 10],
    [200, 100],
  ]);
  assert.match(textOf(run), /^40 of 320 notifications did not arrive, the first with 30 streams held$/m);
});

test('none arrived', async () => {
  const run = await notified([
    [0, 0],
    [0, 0],
  ]);
  assert.match(textOf(run), /^none of the 8 NOTIFY_TOOL calls caused a notification$/m);
});

test('all calls failed', async () => {
  const run = await notified(
    [
      [0, 0],
      [0, 0],
    ],
    { passes: 0, fails: 4 },
  );
  assert.match(textOf(run), /^all 8 NOTIFY_TOOL calls failed$/m);
});
