/**
 * `make bench-recovery`: does a run find known recovery times, and a known onset of degradation? A fault of the target
 * begins at the end of the spike and is removed after a known time, which is the recovery time. A rate limit, or a pool
 * of known capacity, determines the rate at which a ramp degrades. The run's findings are compared with these values.
 */
import { round } from '../analysis/round.ts';
import { printTable, verdict } from './figures.ts';
import { logProgress } from './harness.ts';
import { withLabStack } from './lab-stack.js';

/** One SQL statement per call, and no caching. */
const CALL = { TOOL: 'search_users', ARGS: '{"query":"ad","limit":2}' };
const RUN_S = 95;

/** A fifth of the spike test's rates: 20 requests/s, and 400 in the spike. */
const SPIKE = { PROFILE: 'quick', DURATION: '70s', RATE_SCALE: '0.2', ...CALL };
/** The fault's delay. A call that is in flight when the fault is removed is still slow. */
const SLOW_MS = 300;
/** @type {Record<string, Record<string, number>>} */
const FAULTS = { latency: { slow_statement_ms: SLOW_MS }, failures: { rate_limit_rps: 1 } };
/** The fault begins this long before the spike ends, so that it is active by then. */
const BEFORE_S = 0.5;
/** Maximum lateness: recovery times have a resolution of a second, and the fault takes time to start and stop. */
const LATE_S = 1 + SLOW_MS / 1000 + 0.5;
/** Maximum earliness: half a second may have too few calls to be significant, and the clocks differ. */
const EARLY_S = 0.5;

/** A tenth of the ramp's rates: 10, 50, 100 ... 300 requests/s. */
const RAMP = { PROFILE: 'quick', DURATION: '70s', RATE_SCALE: '0.1', ...CALL };
/** Upper bound of a statement's own time, including the round trip to PostgreSQL. */
const STATEMENT_MS = 10;
/**
 * Little's law: the capacity of a pool is its number of connections divided by the time of a statement.
 *
 * @param {number} size
 * @param {number} slowMs
 * @returns {Limit}
 */
const pool = (size, slowMs) => ({
  name: `pool of ${size}, statements of ${slowMs} ms`,
  faults: { pool_size: size, slow_statement_ms: slowMs },
  known: [(size * 1000) / (slowMs + STATEMENT_MS), (size * 1000) / slowMs],
  first: 'latency',
});
/** @param {number} perS @returns {Limit} */
const rateLimit = (perS) => ({
  name: `rate limit of ${perS}/s`,
  faults: { rate_limit_rps: perS },
  known: [perS, perS],
  first: 'failures',
});

/**
 * @typedef {object} Limit a known limit, in requests/s
 * @property {string} name
 * @property {Record<string, number>} faults
 * @property {[number, number] | null} known range of the onset; null: none up to the end of the ramp
 * @property {string | null} first the metric that must leave the normal range first
 */

/** @type {Limit[]} */
const LIMITS = [
  { name: 'none', faults: {}, known: null, first: null },
  rateLimit(120),
  rateLimit(220),
  pool(16, 120),
  pool(32, 144),
];

const PARTS = ['recovery', 'onset'];
const NEVER = 'never';

const parts = words('ONLY', PARTS, (word) => PARTS.includes(word), PARTS.join(', '));
const kinds = words(
  'KINDS',
  [...Object.keys(FAULTS), 'dead'],
  (word) => word in FAULTS || word === 'dead',
  'latency, failures, dead',
);
const removedAfter = words(
  'REMOVED',
  ['0', '4', '8', '15', NEVER],
  (word) => word === NEVER || /^(\d|1[0-8])$/.test(word),
  `whole seconds after the spike, 0 to 18, or ${NEVER}; 0 is no fault at all`,
);

/**
 * @param {string} name name of a variable
 * @param {string[]} fallback
 * @param {(word: string) => boolean} isValid
 * @param {string} valid
 * @returns {string[]}
 */
function words(name, fallback, isValid, valid) {
  const given = (process.env[name] ?? '').split(/[\s,]+/).filter((word) => word !== '');
  const wrong = given.find((word) => !isValid(word));
  if (wrong === undefined) return given.length > 0 ? given : fallback;
  console.error(`error: ${name} has "${wrong.slice(0, 80)}"; valid: ${valid}`);
  process.exit(2);
}

/** @typedef {{kind: string, removeS: number | null}} Case removeS: null if the fault is never removed */

/** @returns {Case[]} */
function cases() {
  const healthy = removedAfter.includes('0') ? [{ kind: 'none', removeS: 0 }] : [];
  const faulty = kinds
    .filter((kind) => kind !== 'dead')
    .flatMap((kind) =>
      removedAfter
        .filter((word) => word !== '0')
        .map((word) => ({ kind, removeS: word === NEVER ? null : Number(word) })),
    );
  const dead =
    kinds.includes('dead') && removedAfter.includes(NEVER) ? [{ kind: 'dead', removeS: null }] : [];
  return [...healthy, ...faulty, ...dead];
}

/** @param {import('./lab-stack.js').LabRun} run @param {string} kind @returns {import('../analysis/findings/finding.ts').Finding | null} */
const findingOf = ({ run }, kind) =>
  run?.findings.find(
    (/** @type {import('../analysis/findings/finding.ts').Finding} */ one) => one.kind === kind,
  ) ?? null;

/**
 * @param {import('./lab-stack.js').LabStack} lab
 * @param {Case} one
 * @returns {Promise<{row: string[], holds: boolean}>}
 */
async function recoveryRow(lab, { kind, removeS }) {
  /** When the fault was actually removed, seconds after the spike. @type {number | null} */
  let goneS = kind === 'none' ? 0 : null;
  const fault = FAULTS[kind];
  const run = await lab.run('spike', SPIKE, {
    during: async ({ phase, zeroMs, after }) => {
      if (phase.name !== 'spike' || kind === 'none') return;
      await after(phase.duration_s - BEFORE_S);
      await (fault ? lab.faults(fault) : lab.sh(['scripts/ctl', 'stop', 'target']));
      if (removeS === null) return;
      await after(phase.duration_s + removeS);
      await lab.faults({});
      goneS = Date.now() / 1000 - (zeroMs / 1000 + phase.start_s + phase.duration_s);
    },
  });
  await (kind === 'dead' ? lab.sh(['scripts/ctl', 'start', 'target']) : lab.faults({}));
  const found = findingOf(run, 'recovery');
  const told = found !== null && found.confidence !== 'inconclusive';
  const foundS = found?.figures.recovery_s ?? null;
  const error = goneS === null || foundS === null ? null : foundS - goneS;
  const holds = told && (error === null ? goneS === foundS : error >= -EARLY_S && error <= LATE_S);
  const seconds = (/** @type {number | null | undefined} */ value) =>
    value == null ? 'no' : value.toFixed(1);
  return {
    row: [
      kind,
      goneS === null ? NEVER : goneS.toFixed(1),
      told ? seconds(foundS) : (found?.statement ?? `no finding (${run.code})`),
      error === null ? '-' : round(error, 1).toFixed(1),
      seconds(found?.figures.latency_recovery_s),
      seconds(found?.figures.failures_recovery_s),
      run.run?.verdict.outcome ?? 'none',
      verdict(holds),
    ],
    holds,
  };
}

/**
 * @param {import('./lab-stack.js').LabStack} lab
 * @param {Limit} limit
 * @returns {Promise<{row: string[], holds: boolean}>}
 */
async function onsetRow(lab, { name, faults, known, first }) {
  await lab.faults(faults);
  const run = await lab.run('ramp', RAMP);
  await lab.faults({});
  const found = findingOf(run, 'onset');
  const { last_good_rps: good = null, first_bad_rps: bad = null } = found?.figures ?? {};
  const wentFirst =
    /: (\w+) \([^)]*\)(?: and \w+ \([^)]*\))? left the normal range/.exec(found?.statement ?? '')?.[1] ?? '-';
  const holds = known
    ? good !== null && bad !== null && good < known[0] && known[1] <= bad && wentFirst === first
    : good !== null && bad === null;
  const rate = (/** @type {number} */ perS) => String(Math.round(perS));
  return {
    row: [
      name,
      known ? [...new Set(known.map(rate))].join(' to ') : 'none',
      good === null && bad === null
        ? (found?.statement ?? `no finding (${run.code})`)
        : `${good === null ? '-' : rate(good)} to ${bad === null ? '-' : rate(bad)}`,
      wentFirst,
      run.run?.verdict.outcome ?? 'none',
      verdict(holds),
    ],
    holds,
  };
}

/**
 * @template T
 * @param {string} what
 * @param {T[]} all
 * @param {(one: T) => Promise<{row: string[], holds: boolean}>} measure
 * @returns {Promise<{rows: string[][], hold: boolean}>}
 */
async function each(what, all, measure) {
  const rows = [];
  let hold = true;
  for (const [index, one] of all.entries()) {
    logProgress(`${what} ${index + 1} of ${all.length} ...`);
    const { row, holds } = await measure(one);
    logProgress(`  ${row.join(' | ')}`);
    rows.push(row);
    hold &&= holds;
  }
  return { rows, hold };
}

const recoveries = parts.includes('recovery') ? cases() : [];
const limits = parts.includes('onset') ? LIMITS : [];
const minutes = Math.ceil(((recoveries.length + limits.length) * RUN_S) / 60);
logProgress(`${recoveries.length + limits.length} runs, about ${minutes} min`);

await withLabStack(async (lab) => {
  // One worker: with several, the pools' capacity would depend on how the load happens to be spread over them.
  await lab.target({ WORKERS: '1' });
  const recovered = await each('recovery', recoveries, (one) => recoveryRow(lab, one));
  const degraded = await each('onset', limits, (limit) => onsetRow(lab, limit));
  if (recoveries.length > 0) {
    console.log(
      `recovery after the end of the spike, seconds; found may be ${EARLY_S} s early to ` +
        `${LATE_S.toFixed(1)} s late (a second, ${SLOW_MS} ms of the last slow statement, 0.5 s)`,
    );
    printTable(
      ['fault', 'removed after', 'found', 'error', 'p99 alone', 'failures alone', 'verdict', 'limit'],
      recovered.rows,
    );
  }
  if (limits.length > 0) {
    console.log('onset of degradation, requests/s; the interval must contain the known onset');
    printTable(['limit', 'known', 'found between', 'first', 'verdict', 'limit'], degraded.rows);
  }
  const invalid = [...recovered.rows, ...degraded.rows].filter((row) => row.includes('invalid')).length;
  if (invalid > 0)
    console.log(
      `${invalid} runs are invalid (98) because the machine is busy; measure again when it is idle`,
    );
  return recovered.hold && degraded.hold;
});
