import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runOf, signal, summary } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

/** @param {[rate: number, made: number, p99: number, failed?: number][]} steps of 20 s each */
async function rampOf(steps) {
  const run = await runOf(
    {
      summary: summary({
        phases: steps.map(([rate, made, p99, failed = 0], index) => ({
          name: `step-${rate}`,
          offered_rps: rate,
          overload: index > 0,
          figures: { iterations: made, p99, failures: { tool: failed } },
        })),
        plan: { test: 'ramp' },
      }),
    },
    { signals: [signal('cpu', 'step-100', 0.3)] },
  );
  const found = run.findings.find(({ subject }) => subject === 'ramp');
  return { rows: rowsOf(run.tables[0]), ...found };
}

test('the last step before the first that broke is what held', async () => {
  const { rows, statement, figures } = await rampOf([
    [100, 2000, 50],
    [500, 10_000, 300],
    [1000, 15_000, 900],
    [1500, 30_000, 100],
  ]);
  assert.deepEqual(
    rows.map(({ holds }) => holds),
    ['yes', 'yes', 'no', 'yes'],
  );
  const { from, offered, achieved, delivered } = rows[0] ?? {};
  assert.deepEqual([from, offered, achieved, delivered], [0, 100, 100, 1]);
  assert.deepEqual([rows[0]?.['target CPU'], rows[1]?.['target CPU']], [0.3, null]);
  assert.match(statement ?? '', /^held up to 500\/s; 1,000\/s did not: 75 % delivered, p99 90\d ms/);
  assert.deepEqual(figures, { held_rps: 500, broken_rps: 1000 });
});

test('failures break a step; none that held is said, and so are all', async () => {
  assert.match(
    (await rampOf([[100, 2000, 50, 2]])).statement ?? '',
    /^no step held; 100\/s did not: 0\.1 % failed/,
  );
  assert.match((await rampOf([[100, 2000, 50]])).statement ?? '', /^held up to 100\/s, the last step$/);
});

test('too few answers make no p99, and so no step that holds', async () => {
  assert.match((await rampOf([[4, 80, 50]])).statement ?? '', /too few answers for a p99/);
});
