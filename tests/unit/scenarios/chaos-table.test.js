import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phases as phasesOf } from '../../../analysis/judge/phases.ts';
import chaos from '../../../scenarios/chaos/table.ts';
import { histogramOf, lineOf, STARTED_MS, summary } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

const RATE = 100;
const PARTS = [
  { part: 'baseline', from: 0, to: 6 },
  { part: 'fault', from: 6, to: 12 },
  { part: 'after', from: 12, to: 42 },
];
const INJECTED_S = 6;
const REMOVED_S = 12;

const ROW = { title: 'Cut', intensity: 'high', least_success: 0.99, most_refused: 0, why_not: null, did: {} };

/** What becomes of the calls that begin in a second. @typedef {{failed?: number, refused?: number, ms?: number}} Fate */

/**
 * @param {(at: number) => Fate} fate seconds after the beginning
 * @param {object} [options]
 * @param {Partial<import('../../../scenarios/chaos/trials.ts').ChaosRow>} [options.row]
 * @param {number} [options.limitS]
 * @param {number} [options.rate]
 * @param {number} [options.endS]
 * @returns of `make chaos` with one fault
 */
function made(fate, { row = {}, limitS = 5, rate = RATE, endS = 42 } = {}) {
  const fault = { ...ROW, name: 'cut', ...row };
  const parts = PARTS.map(({ to, ...part }) => ({ ...part, to: Math.min(to, endS) }));
  const seconds = parts.flatMap(({ part, from, to }) =>
    Array.from({ length: to - from }, (_, index) => {
      const { failed = 0, refused = 0, ms = 5 } = fate(from + index);
      const bad = failed + refused;
      const durations = { ok: histogramOf(ms, rate - bad), rejected: histogramOf(1, bad) };
      const counts = { requests: rate, failed: bad, rejected: refused, durations };
      return { part, line: lineOf(STARTED_MS / 1000 + from + index, `cut-${part}`, counts), counts };
    }),
  );
  const spec = summary({
    phases: parts.map(({ part, from, to }) => ({
      name: `cut-${part}`,
      start_s: from,
      duration_s: to - from,
      offered_rps: rate,
      labels: { fault: 'cut', part },
    })),
  });
  const groups = seconds.map(({ part, counts }) => ({ phase: `cut-${part}`, operation: '', ...counts }));
  const built = chaos(
    /** @type {any} */ ({
      phases: phasesOf({ ...spec, groups }),
      groups,
      seconds: new Map([['cut', seconds.map(({ line }) => line)]]),
      trials: {
        trials: fault.why_not
          ? []
          : [
              {
                name: 'cut',
                events: [
                  { kind: 'inject', time_ms: STARTED_MS + INJECTED_S * 1000 },
                  { kind: 'removed', time_ms: STARTED_MS + REMOVED_S * 1000 },
                ],
              },
            ],
        result: { recovery_s: limitS, faults: [fault] },
      },
    }),
  );
  const [table] = built.tables;
  const cell = (/** @type {string} */ column) => rowsOf(table)[0]?.[column];
  const outcomes = Object.fromEntries(
    (built.thresholds ?? []).map(({ metric, outcome }) => [metric, outcome]),
  );
  return {
    cell,
    outcomes,
    notes: table?.notes,
    reasons: (built.thresholds ?? []).map(({ reason }) => reason),
  };
}

/** @param {number} from @param {number} to @param {Fate} fate @returns {(at: number) => Fate} */
const between = (from, to, fate) => (at) => (at >= from && at < to ? fate : {});

test('a fault that nobody notices', () => {
  const { cell, outcomes } = made((at) => (at % 5 === 0 ? { failed: 1, ms: 6 } : {}));
  assert.deepEqual([cell('recovery'), cell('status'), cell('success')], ['N/A', 'pass', 0.998333]);
  assert.deepEqual(outcomes, {
    success_share: 'pass',
    refused_share: 'pass',
    recovery_s: 'pass',
    back_to_baseline: 'pass',
  });
});

for (const [how, fate] of /** @type {[string, Fate][]} */ ([
  ['refused', { refused: RATE }],
  ['slow', { ms: 300 }],
])) {
  test(`calls that are ${how} until 2 s after the removal`, () => {
    const row = { least_success: null, most_refused: null };
    const { cell, outcomes } = made(between(INJECTED_S, REMOVED_S + 2, fate), { row });
    const refused = fate.refused ? 800 : 0;
    assert.deepEqual([cell('failures'), cell('refusals')], [refused, refused]);
    assert.equal(cell('success'), fate.refused ? 0 : 1);
    assert.deepEqual([cell('recovery'), cell('status')], ['2 s', 'pass']);
    assert.deepEqual(outcomes, { recovery_s: 'pass', back_to_baseline: 'pass' });
  });
}

test('a relapse right after it is part of it; one much later shows in whether it came back', () => {
  const relapse = (/** @type {number} */ from) => (/** @type {number} */ at) =>
    (at >= INJECTED_S && at < REMOVED_S) || (at >= from && at < from + 2) ? { failed: RATE } : {};
  assert.equal(made(relapse(REMOVED_S + 2)).cell('recovery'), '4 s');
  const late = made(relapse(REMOVED_S + 20));
  assert.equal(late.cell('recovery'), '0 s');
  assert.equal(late.outcomes.back_to_baseline, 'fail');
});

test('what is not over in time fails, and says by what', () => {
  const { cell, reasons } = made((at) => (at >= INJECTED_S ? { refused: RATE } : {}));
  assert.equal(cell('recovery'), 'not within 27 s');
  assert.equal(cell('status'), 'fail: success, refusals, time to recover, as before');
  assert.ok(reasons.includes('Cut: did not recover within 27 s, objective < 5 s'), String(reasons));
});

test('inconclusive: watched for less than the bound, or no baseline', () => {
  const broken = made((at) => (at >= INJECTED_S ? { refused: RATE } : {}), { limitS: 28 });
  assert.equal(broken.outcomes.recovery_s, 'invalid');
  assert.match(String(broken.reasons), /only 27 s were observed before the last 3 s/);
  const few = made(() => ({}), { rate: 16 });
  assert.equal(few.cell('recovery'), 'inconclusive');
  assert.match(String(few.reasons), /cut-baseline has too few answers/);
  const cut = made(() => ({}), { endS: REMOVED_S + 2 });
  assert.deepEqual([cut.cell('recovery'), cut.outcomes.recovery_s], ['inconclusive', 'invalid']);
});

test('one that could not be made has a row, and a note that says why', () => {
  const { cell, notes, outcomes } = made(() => ({}), { row: { why_not: 'needs root' } });
  assert.deepEqual([cell('status'), cell('success'), outcomes], ['not injected', null, {}]);
  assert.ok(notes?.includes('Cut (cut) was not injected: needs root.'));
});
