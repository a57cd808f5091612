import assert from 'node:assert/strict';
import { test } from 'node:test';
import chaos from '../../../analysis/tables/chaos.ts';
import { histogramOf } from './build.js';

const ZERO = Date.parse('2026-01-01T00:00:00Z');
const PARTS = /** @type {const} */ ([
  ['baseline', 0, 6],
  ['fault', 6, 12],
  ['after', 12, 22],
]);

const ROW = { intensity: 'high', least_success: 0.99, most_refused: 0, why_not: null, did: {} };

/**
 * @param {Partial<import('../../../analysis/tables/trial-results.ts').ChaosRow>[]} faults
 * @param {(at: number) => boolean} fails whether the requests that end in this second after the zero do
 * @returns {any} what a table is made of, as far as this one reads it
 */
function facts(faults, fails) {
  const rows = faults.map((fault) => ({ ...ROW, ...fault }));
  const made = rows.filter(({ why_not }) => why_not === null);
  const iso = (/** @type {number} */ s) => new Date(ZERO + s * 1000).toISOString();
  const phases = made.flatMap(({ name }) =>
    PARTS.map(([part, start, end]) => ({
      name: `${name}-${part}`,
      labels: { fault: name, part },
      start: iso(start),
      end: iso(end),
      dropped: 0,
    })),
  );
  const events = [
    { kind: 'inject', time_ms: ZERO + 6000 },
    { kind: 'lifted', time_ms: ZERO + 12_000 },
  ];
  return {
    phases,
    trials: {
      trials: made.map(({ name }) => ({ name, events })),
      result: { recovery_s: 5, faults: rows },
    },
    seconds: new Map(made.map(({ name = '' }) => [name, linesOf(name, fails)])),
  };
}

/** @param {string} trial @param {(at: number) => boolean} fails in which second */
function linesOf(trial, fails) {
  const groups = new Map(
    PARTS.map(([part], number) => [`${number}`, { phase: `${trial}-${part}`, operation: '' }]),
  );
  return Array.from({ length: 22 }, (_, at) => {
    const number = PARTS.findIndex(([, start, end]) => at >= start && at < end);
    const counts = fails(at)
      ? { requests: 100, failed: 100, rejected: 100 }
      : { requests: 100, duration: histogramOf(5, 100) };
    return { second: { at: ZERO / 1000 + at, vus: 1, groups: { [number]: counts } }, groups };
  });
}

/** @param {any} built @param {string} column @returns {any} of the first row */
function cell({ tables: [{ columns, rows }] }, column) {
  return rows[0][columns.findIndex((/** @type {{name: string}} */ { name }) => name === column)];
}

test('a fault that is over in time, in the form of the document', async () => {
  const fails = (/** @type {number} */ at) => at >= 6 && at < 14;
  const built = await chaos(
    facts([{ name: 'cut', title: 'Cut', least_success: null, most_refused: null }], fails),
  );
  assert.equal(cell(built, 'scenario'), 'Cut');
  assert.equal(cell(built, 'failures'), 800);
  assert.equal(cell(built, 'refusals'), 800);
  assert.equal(cell(built, 'recovery'), '2 s');
  assert.equal(cell(built, 'success'), 0);
  assert.equal(cell(built, 'status'), 'pass');
  const judgements = (built.thresholds ?? []).map(({ metric, outcome }) => [metric, outcome]);
  assert.deepEqual(judgements, [
    ['recovery_s', 'pass'],
    ['back_to_baseline', 'pass'],
  ]);
});

test('one that is not over in time fails, and says by what', async () => {
  const built = await chaos(facts([{ name: 'kill', title: 'Kill' }], (at) => at >= 6));
  assert.equal(cell(built, 'recovery'), 'not within 7 s');
  assert.match(cell(built, 'status'), /^fail: success, refusals, time to recover, as before$/);
  const reasons = (built.thresholds ?? []).map(({ reason }) => reason);
  assert.ok(reasons.includes('Kill: did not recover within 7 s, objective < 5 s'), String(reasons));
});

test('where the time that was watched is less than the bound nobody knows, and the run is invalid', async () => {
  const given = facts([{ name: 'kill', title: 'Kill' }], (at) => at >= 6);
  given.trials.result.recovery_s = 8;
  const built = await chaos(given);
  const recovery = built.thresholds?.find(({ metric }) => metric === 'recovery_s');
  assert.equal(recovery?.outcome, 'invalid');
  assert.match(String(recovery?.reason), /only 7 s were watched/);
});

test('one that could not be made has a row, and a note that says why', async () => {
  const built = await chaos(facts([{ name: 'loss', title: 'Loss', why_not: 'needs root' }], () => false));
  assert.equal(cell(built, 'status'), 'not made');
  assert.equal(cell(built, 'success'), null);
  assert.ok(built.tables[0]?.notes.includes('Loss (loss) was not made: needs root.'));
  assert.deepEqual(built.thresholds, []);
});
