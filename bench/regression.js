/**
 * `make bench-regression`: how often does `make compare` raise a false alarm, and how often does it detect that p99 is
 * 10 % worse? The bench makes runs of the unchanged reference target (A), and of a target whose tool calls take 10 %
 * longer (B). It then draws comparisons from the two pools of runs. The pools are kept in POOL_DIR, so that an
 * interrupted bench can be continued. With complete pools, only the comparisons are repeated.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { confidenceOf } from '../analysis/compare/decide.ts';
import { difference, digestOf, refusal } from '../analysis/compare/digest.ts';
import { writeAtomic } from '../analysis/write-atomic.ts';
import { rounds } from '../cli/trials/rounds.ts';
import { seededRandom } from '../contract/seeded-random.js';
import { duration, percent } from '../contract/units.js';
import { judge, printTable, spread } from './figures.ts';
import { count, logProgress } from './harness.ts';
import { withLabStack } from './lab-stack.js';
import { countTrials, inventedRun, keysOf, slower } from './regression-trials.js';
import { wilson } from './wilson.js';

/** @typedef {import('../analysis/compare/digest.ts').Digest} Digest */
/** @typedef {'A' | 'B'} Side */

const POOL = count('POOL', 30);
const TRIALS = count('TRIALS', 1000);
const SEED = count('SEED', 1);
const POOL_DIR = process.env.POOL_DIR || fileURLToPath(new URL('../.run/regression-pool', import.meta.url));
/**
 * p99 is determined by an upstream's latency, and needs almost no CPU. With 2,000 calls, 20 are beyond p99. Each of
 * these variables can be overridden.
 */
const LOAD = {
  PROFILE: 'smoke',
  TOOL: 'fetch_weather',
  REQUESTS: '2000',
  CONCURRENCY: '100',
  THRESHOLDS: 'off',
};
const TEST = process.env.TEST || 'load';
const STRETCH_PERCENT = 10;
/**
 * Keeps invalid runs, for trying out the bench on a busy machine. The results are then meaningless, and the output says
 * so.
 */
const INVALID_TOO = process.env.INVALID === 'keep';
/** An invalid run is repeated, up to this factor of the required runs. */
const TRIES = 2;
/** Approximate, for the estimate of the duration. */
const RUN_S = 21;

const RUNS = [3, 5, 7, 10];
/**
 * False alarms are rare, so many trials are needed: at a rate of 1 %, 1,000 comparisons give 12 or more one time in
 * three.
 */
const EQUAL_TRIALS = 10 * TRIALS;
const LEAST_POWER = 0.95;
/** Simulated slow-downs and scatter. The largest of RUNS must detect the slow-down. */
const SIZES = [0.02, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3];
const SPREADS = [0.02, 0.03, 0.035, 0.04, 0.05, 0.06, 0.08];

/** @returns {Record<Side, Digest[]>} the existing runs */
function kept() {
  mkdirSync(POOL_DIR, { recursive: true });
  /** @type {Record<Side, Digest[]>} */
  const pool = { A: [], B: [] };
  for (const name of readdirSync(POOL_DIR).sort()) {
    const side = /** @type {Side | undefined} */ (/^([AB])-\d+\.json$/.exec(name)?.[1]);
    if (side) pool[side].push(JSON.parse(readFileSync(join(POOL_DIR, name), 'utf8')));
  }
  const [first, ...rest] = [...pool.A, ...pool.B];
  for (const other of rest) {
    const differs = first && difference(first, other);
    if (!differs) continue;
    console.error(
      `error: POOL_DIR is "${POOL_DIR}", whose runs differ in ${differs}; valid: a folder with a single pool`,
    );
    process.exit(2);
  }
  return pool;
}

/** @param {Side} side @param {Digest} digest */
function keep(side, digest) {
  let number = 1;
  const file = () => join(POOL_DIR, `${side}-${String(number).padStart(3, '0')}.json`);
  while (existsSync(file())) number += 1;
  writeAtomic(file(), `${JSON.stringify(digest, null, 2)}\n`);
}

/**
 * @param {import('./lab-stack.js').LabStack} lab
 * @returns {Promise<boolean>} whether the pools are complete
 */
async function fill(lab) {
  const variables = Object.fromEntries(
    Object.entries(LOAD).map(([name, value]) => [name, process.env[name] || value]),
  );
  const order = rounds(/** @type {Side[]} */ (['A', 'B']), TRIES * POOL, seededRandom(SEED)).flat();
  const startedMs = Date.now();
  let made = 0;
  for (const side of order) {
    const pool = kept();
    const missing = Math.max(0, POOL - pool.A.length) + Math.max(0, POOL - pool.B.length);
    if (missing === 0) return true;
    if (pool[side].length >= POOL) continue;
    await lab.faults(side === 'B' ? { stretch_percent: STRETCH_PERCENT } : {});
    const { run, output } = await lab.run(TEST, variables);
    made += 1;
    if (!run) throw new Error(`a run left no results: ${output.trim().split('\n').at(-1)}`);
    const digest = digestOf(run);
    const refused = INVALID_TOO ? null : refusal(digest, { includeFailed: true });
    if (refused === null) keep(side, digest);
    const left = ((Date.now() - startedMs) / 1000 / made) * (missing - (refused === null ? 1 : 0));
    const p99 = Object.entries(digest.values).find(([key]) => /^phase\/.*\/p99$/.test(key))?.[1];
    logProgress(
      `${side} ${pool[side].length + (refused === null ? 1 : 0)} of ${POOL}: ${refused ?? `p99 ${p99} ms`}; about ${duration(Math.round(left))} left`,
    );
  }
  const pool = kept();
  return pool.A.length >= POOL && pool.B.length >= POOL;
}

/** @param {import('./regression-trials.js').Counts} counts @param {'worse' | 'p99'} what @returns {string} */
function shareText(counts, what) {
  const { low, high } = wilson(counts[what], counts.trials);
  return `${percent(counts[what] / counts.trials)} (${percent(low)} to ${percent(high)})`;
}

/** @returns {boolean} whether the limits hold */
function analyse() {
  const pool = kept();
  const [a, b] = [pool.A, pool.B].map((runs) => runs.map(({ values }) => values));
  if (!a || !b) return false;
  const most = Math.min(Math.floor(a.length / 2), b.length);
  const sizes = RUNS.filter((runs) => runs <= most);
  console.log(
    `\nPools: ${a.length} runs of A, ${b.length} of B (${STRETCH_PERCENT} % slower), in ${POOL_DIR}`,
  );
  printTable(
    ['metric', 'A: median (min..max)', 'B: median (min..max)', 'B / A'],
    Object.keys(a[0] ?? {})
      .filter((key) => key.startsWith('phase/'))
      .map((key) => {
        const [one, other] = [a, b].map((side) => spread(side.map((values) => Number(values[key]))));
        const text = (/** @type {typeof one} */ of) =>
          of ? [of.median, of.min, of.max].map((value) => Number(value.toPrecision(4))) : [];
        const [x, y] = [text(one), text(other)];
        const ratio = one && other && one.median > 0 ? (other.median / one.median).toFixed(3) : '-';
        return [key, `${x[0]} (${x[1]}..${x[2]})`, `${y[0]} (${y[1]}..${y[2]})`, ratio];
      }),
  );
  const random = seededRandom(SEED);
  const rows = sizes.map((runs) => {
    logProgress(`${runs} runs a side: ${EQUAL_TRIALS + TRIALS} comparisons ...`);
    const equal = countTrials({ pool: a, other: null, runs, trials: EQUAL_TRIALS, random });
    const slow = countTrials({ pool: a, other: b, runs, trials: TRIALS, random });
    return { runs, equal, slow };
  });
  console.log(
    '\nA against A: share of comparisons in which any metric is worse. A against B: p99, or any metric, is worse',
  );
  printTable(
    ['runs a side', 'A against A', 'A against B: p99', 'A against B'],
    rows.map(({ runs, equal, slow }) => [
      String(runs),
      shareText(equal, 'worse'),
      shareText(slow, 'p99'),
      shareText(slow, 'worse'),
    ]),
  );
  console.log(
    '\nPower: share of comparisons that call p99 worse. Runs of A against other runs of A with multiplied latencies',
  );
  printTable(
    ['slower by', ...sizes.map((runs) => `${runs} runs a side`)],
    SIZES.map((share) => {
      logProgress(`slower by ${percent(share)} ...`);
      const slowed = slower(share);
      const counts = sizes.map((runs) =>
        countTrials({ pool: a, other: null, runs, trials: TRIALS, random, slowed }),
      );
      return [percent(share), ...counts.map((one) => percent(one.p99 / one.trials))];
    }),
  );
  const last = rows.at(-1);
  const holds = [
    ...rows.map(({ runs, equal }) => {
      const metrics = keysOf(a).length;
      // Bonferroni's bound covers both directions; half of it is for metrics that are judged worse.
      const most = (metrics * (1 - confidenceOf(runs, runs, metrics))) / 2;
      return {
        what: `false alarms with ${runs} runs a side`,
        value: equal.worse / equal.trials,
        ok: equal.worse / equal.trials <= most,
        limit: `<= ${percent(most)}`,
      };
    }),
    ...(last
      ? [
          {
            what: `10 % worse p99 detected with ${last.runs} runs a side`,
            value: last.slow.p99 / last.slow.trials,
            ok: last.runs >= Math.max(...RUNS) && last.slow.p99 / last.slow.trials >= LEAST_POWER,
            limit: `>= ${percent(LEAST_POWER)} with ${Math.max(...RUNS)}`,
          },
        ]
      : []),
  ];
  console.log('');
  const judged = holds.map(({ what, value, limit, ok }) => ({
    cells: [what, percent(value), limit],
    holds: ok,
  }));
  return judge(['limit', 'measured', 'wanted'], judged) && holds.length > 0;
}

/** Power of the rule in the ideal case: simulated runs with a known scatter. */
function invented() {
  const trials = Math.max(100, Math.floor(TRIALS / 3));
  const random = seededRandom(SEED);
  const sizes = RUNS.filter((runs) => runs >= 5);
  console.log(
    '\nSimulated log-normal runs, each metric alone: detection of a 10 % worse p99, by standard deviation',
  );
  printTable(
    ['standard deviation', ...sizes.map((runs) => `${runs} runs a side`)],
    SPREADS.map((deviation) => {
      logProgress(`scatter ${percent(deviation)} ...`);
      const counts = sizes.map((runs) => {
        let seen = 0;
        for (let trial = 0; trial < trials; trial += 1) {
          const pool = Array.from({ length: 2 * runs }, () => inventedRun(deviation, random));
          seen += countTrials({ pool, other: null, runs, trials: 1, random, slowed: onlyP99(0.1) }).p99;
        }
        return percent(seen / trials);
      });
      return [percent(deviation), ...counts];
    }),
  );
}

/** @param {number} share @returns {(values: Record<string, number>) => Record<string, number>} */
const onlyP99 = (share) => (values) => ({
  ...values,
  'phase/load/p99': Number(values['phase/load/p99']) * (1 + share),
});

const { A, B } = kept();
const missing = Math.max(0, POOL - A.length) + Math.max(0, POOL - B.length);
logProgress(
  `${missing} of ${2 * POOL} runs are missing in ${POOL_DIR}, about ${duration(missing * RUN_S)}; then comparisons, about ${duration(Math.round(TRIALS * 0.4))}`,
);
if (missing > 0) {
  await withLabStack(async (lab) => {
    const whole = await fill(lab);
    if (!whole)
      console.error(
        `error: too many runs are invalid, so the pools are incomplete; valid runs stay in ${POOL_DIR}`,
      );
    return whole;
  });
}
if (!process.exitCode) {
  process.exitCode = analyse() ? 0 : 1;
  invented();
}
