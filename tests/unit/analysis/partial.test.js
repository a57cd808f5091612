import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lengthText, partialOf } from '../../../analysis/judge/partial.ts';
import { summary } from './build.js';

const { plan } = summary({ phases: [{ name: 'a' }, { name: 'b' }] });
const plannedS = Math.max(...plan.phases.map(({ start_s, duration_s }) => start_s + duration_s));
const run = { plan, k6Exit: 105, ranS: 10.5, trials: false };

test('a run that came to its end is whole, with a missed threshold, too', () => {
  for (const k6Exit of [0, 99]) assert.equal(partialOf({ ...run, k6Exit }), null);
});

test('one that was ended is partial, however it was ended', () => {
  for (const k6Exit of [105, 107, 137, 143])
    assert.deepEqual(partialOf({ ...run, k6Exit }), { ran_s: 10.5, planned_s: plannedS });
});

test('steps and several k6 runs have no planned length', () => {
  assert.equal(partialOf({ ...run, trials: true })?.planned_s, null);
  assert.equal(partialOf({ ...run, plan: { ...plan, sequence: true } })?.planned_s, null);
});

test('its length in a report', () => {
  assert.equal(lengthText({ duration_s: 39, partial: null }), '39 s');
  assert.equal(lengthText({ duration_s: null }), '');
  assert.equal(
    lengthText({ duration_s: 10.5, partial: { ran_s: 10.5, planned_s: 39 } }),
    'partial: 10.5 s of 39 s',
  );
  assert.equal(
    lengthText({ duration_s: 10.5, partial: { ran_s: 10.5, planned_s: null } }),
    'partial: 10.5 s',
  );
});
