/** Draws comparisons from a pool of runs and counts how many give the right result. */
import { decide } from '../analysis/compare/decide.ts';
import { parseKey } from '../analysis/compare/digest.ts';
import { METRICS } from '../analysis/compare/metrics.ts';

/**
 * @typedef {import('../analysis/compare/digest.ts').Digest['values']} Values values of one run
 *
 * @typedef {object} Counts counts of trials
 * @property {number} trials
 * @property {number} worse trials in which any metric was judged worse
 * @property {number} p99 trials in which p99 was judged worse
 */

/** Excludes the values of single operations, as a comparison does without OPERATIONS=1. */
const judged = (/** @type {string} */ key) => parseKey(key).of !== 'operation';

/** @param {Values[]} runs @returns {string[]} the keys that are compared */
export const keysOf = (runs) => [...new Set(runs.flatMap((values) => Object.keys(values).filter(judged)))];

/**
 * @param {Values[]} base
 * @param {Values[]} head
 * @returns {{worse: boolean, p99: boolean}}
 */
export function outcomesOf(base, head) {
  const keys = keysOf([...base, ...head]);
  const pairs = keys.flatMap((key) => {
    const metric = METRICS.find(({ name }) => name === parseKey(key).metric);
    const of = (/** @type {Values[]} */ side) => side.map((values) => values[key] ?? null);
    return metric ? [{ metric, base: of(base), head: of(head) }] : [];
  });
  const worse = decide(pairs).flatMap(({ outcome }, index) =>
    outcome === 'worse' ? [pairs[index]?.metric.name] : [],
  );
  return { worse: worse.length > 0, p99: worse.includes('p99') };
}

/**
 * @param {object} draw
 * @param {Values[]} draw.pool the base runs are drawn from this pool
 * @param {Values[] | null} draw.other the head runs are drawn from this pool; null: from `pool`, without common runs
 * @param {number} draw.runs runs per side
 * @param {number} draw.trials
 * @param {() => number} draw.random
 * @param {(values: Values) => Values} [draw.slowed] transforms the values of the head runs
 * @returns {Counts}
 */
export function countTrials({ pool, other, runs, trials, random, slowed = (values) => values }) {
  const counts = { trials, worse: 0, p99: 0 };
  for (let trial = 0; trial < trials; trial += 1) {
    const first = drawn(pool, other ? runs : 2 * runs, random);
    const head = other ? drawn(other, runs, random) : first.slice(runs);
    const { worse, p99 } = outcomesOf(first.slice(0, runs), head.map(slowed));
    if (worse) counts.worse += 1;
    if (p99) counts.p99 += 1;
  }
  return counts;
}

/**
 * @template T
 * @param {T[]} all
 * @param {number} count at most the length of `all`
 * @param {() => number} random
 * @returns {T[]} `count` different elements in random order
 */
function drawn(all, count, random) {
  const left = [...all];
  return Array.from(
    { length: count },
    () => /** @type {T} */ (left.splice(Math.floor(random() * left.length), 1)[0]),
  );
}

/**
 * @param {number} share 0.1: 10 % slower
 * @returns {(values: Values) => Values} increases every latency by this share
 */
export const slower = (share) => (values) =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      /^p\d+$/.test(parseKey(key).metric) ? value * (1 + share) : value,
    ]),
  );

/**
 * @param {number} spread standard deviation of the logarithms of a metric over the runs
 * @param {() => number} random
 * @returns {Values} a simulated run with the metrics of one phase, drawn independently
 */
export function inventedRun(spread, random) {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const metrics = METRICS.filter(({ of, scale }) => of.includes('phase') && scale === 'ratio');
  return Object.fromEntries(
    metrics.map(({ name }) => [`phase/load/${name}`, 100 * Math.exp(spread * normal())]),
  );
}
