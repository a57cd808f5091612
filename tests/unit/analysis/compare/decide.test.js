import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALPHA, confidenceOf, decide, LEAST_RUNS } from '../../../../analysis/compare/decide.ts';
import { METRICS } from '../../../../analysis/compare/metrics.ts';
import { seededRandom } from '../../../../contract/seeded-random.js';

/** @param {string} name @returns {import('../../../../analysis/compare/metrics.ts').Metric} */
function metric(name) {
  const found = METRICS.find((known) => known.name === name);
  assert.ok(found);
  return found;
}

/** @param {number | null | undefined} actual @param {number} expected */
const near = (actual, expected) =>
  assert.ok(actual != null && Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

/** @param {number} seed @returns {() => number} standard normal */
function normal(seed) {
  const random = seededRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const BASE = [101.2, 99.8, 100.5, 98.7, 102.1, 100.9];
const HEAD = [104.9, 106.1, 103.8, 107.4, 105.2, 101.9];

test("a decision's figures are SciPy's, on logarithms where shares count", () => {
  const [decision] = decide([{ metric: metric('p99'), base: BASE, head: HEAD }]);
  // scipy.stats.mannwhitneyu(a, b, method='exact').pvalue, and the median and the fourth of the sorted log differences from both
  // ends: the most that the exact distribution of U leaves outside of 98 %.
  near(decision?.p, 0.004329004329004329);
  near(decision?.change, 0.0431986107019371);
  near(decision?.low, 0.013930348258706548);
  near(decision?.high, 0.06865671641791068);
  near(decision?.base, 100.7);
  near(decision?.head, 105.05);
  // Certainly more, by certainly less than what counts.
  assert.equal(decision?.outcome, 'same');
});

test('worse and better are what the metric says they are', () => {
  const up = { base: [1, 1.01, 0.99, 1.005, 0.995], head: [2, 2.01, 1.99, 2.005, 1.995] };
  const down = { base: up.head, head: up.base };
  const outcomes = (/** @type {string} */ name) =>
    decide([
      { metric: metric(name), ...up },
      { metric: metric(name), ...down },
    ]).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes('p99'), ['worse', 'better']);
  assert.deepEqual(outcomes('throughput'), ['better', 'worse']);
});

test('what is certain but may be too little to count is neither the same nor worse', () => {
  const metrics = { metric: metric('p99'), base: BASE.map((value) => value / 1.05), head: HEAD };
  const [reaching] = decide([metrics]);
  assert.equal(reaching?.outcome, 'worse', 'the interval reaches 10 %');
  const [within] = decide([{ ...metrics, base: BASE }]);
  assert.equal(within?.outcome, 'same');
});

test('failures are compared by difference, and a floor keeps next to nothing from being a change', () => {
  const [failed, gc] = decide([
    { metric: metric('failure_rate'), base: [0, 0, 0, 0, 0], head: [0.01, 0.02, 0.015, 0.012, 0.018] },
    { metric: metric('gc'), base: [0.0001, 0.0002, 0, 0.0001, 0], head: [0.004, 0.005, 0.004, 0.006, 0.005] },
  ]);
  assert.equal(failed?.outcome, 'worse');
  near(failed?.change, 0.015);
  assert.equal(gc?.outcome, 'same');
  assert.equal(gc?.change, 0);
});

test('many metrics widen the intervals, as far as the runs allow', () => {
  near(confidenceOf(10, 10, 1), 1 - ALPHA);
  near(confidenceOf(10, 10, 8), 1 - ALPHA / 8);
  near(confidenceOf(5, 5, 8), 1 - 2 / 252);
  near(confidenceOf(4, 4, 8), 1 - ALPHA);
});

test('too few runs can tell nothing', () => {
  assert.equal(LEAST_RUNS, 5);
  const [four] = decide([{ metric: metric('p99'), base: [1, 1.1, 1.2, 1.3], head: [9, 9.1, 9.2, 9.3] }]);
  assert.equal(four?.outcome, 'inconclusive');
  const [two] = decide([{ metric: metric('p99'), base: [1, 1], head: [1, 1] }]);
  assert.deepEqual([two?.outcome, two?.low], ['inconclusive', null]);
});

test('one run against one is no verdict, unless it is allowed to be', () => {
  const pair = { metric: metric('p99'), base: [100], head: [140] };
  const [silent] = decide([pair]);
  assert.deepEqual([silent?.outcome, silent?.p, silent?.reason], ['inconclusive', null, 'one run per side']);
  near(silent?.change, 0.4);
  assert.equal(decide([pair], { allowSingle: true })[0]?.outcome, 'worse');
  // Three times 10 %, on logarithms.
  assert.equal(decide([{ ...pair, head: [132] }], { allowSingle: true })[0]?.outcome, 'inconclusive');
});

test('a metric that one run does not have is not compared, and spoils none of the others', () => {
  const [partial, whole] = decide([
    { metric: metric('memory'), base: [1, null, 1, 1, 1], head: [2, 2, 2, 2, 2] },
    { metric: metric('p99'), base: [1, 1.1, 1, 1, 1], head: [2, 2, 2, 2, 2.1] },
  ]);
  assert.equal(partial?.outcome, 'inconclusive');
  assert.equal(partial?.reason, '1 of 10 runs do not have this metric');
  assert.equal(whole?.outcome, 'worse');
});

test('equal sides are called different as seldom as it says, however many metrics there are', () => {
  const phase = METRICS.filter(({ of }) => of.includes('phase'));
  const draw = normal(7);
  const trials = 600;
  let [worse, better] = [0, 0];
  for (let trial = 0; trial < trials; trial += 1) {
    const pairs = phase.map((each) => {
      // Wide enough for a change that counts to be possible.
      const values = Array.from({ length: 14 }, () => Math.exp(0.5 * draw()));
      return { metric: each, base: values.slice(0, 7), head: values.slice(7) };
    });
    const outcomes = decide(pairs).map(({ outcome }) => outcome);
    if (outcomes.includes('worse')) worse += 1;
    if (outcomes.includes('better')) better += 1;
  }
  // By chance, 3 standard deviations more.
  const expected = (ALPHA / 2) * trials;
  const most = expected + 3 * Math.sqrt(expected);
  assert.ok(worse <= most && better <= most, `${worse} worse and ${better} better, ${expected} expected`);
  assert.ok(worse + better > 0, 'a rule that never says anything is none');
});

test('a change of just what counts is caught with ten runs a side that scatter by 3.5 %', () => {
  const phase = METRICS.filter(({ of }) => of.includes('phase'));
  const draw = normal(13);
  const trials = 100;
  let caught = 0;
  for (let trial = 0; trial < trials; trial += 1) {
    const values = (/** @type {number} */ shift) =>
      Array.from({ length: 10 }, () => Math.exp(shift + 0.035 * draw()));
    const pairs = phase.map((each) => ({
      metric: each,
      base: values(0),
      head: values(each.name === 'p99' ? Math.log(1.1) : 0),
    }));
    const decisions = decide(pairs);
    if (decisions[phase.findIndex(({ name }) => name === 'p99')]?.outcome === 'worse') caught += 1;
  }
  assert.ok(caught >= 95, `${caught} of ${trials}`);
});
