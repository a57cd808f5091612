import { thresholdName } from '../analysis/judge/threshold-words.ts';
import { ConfigError } from '../contract/config-error.js';
import { perSecond } from '../contract/units.js';
import { MIN_VUS } from '../lib/phases.js';
import { mostSteps, searchRate } from './search-rate.js';

/** How long a step and the hold are, seconds, and how close it narrows down, by PROFILE. */
const HOW = /** @type {Record<string, {stepS: number, holdS: number, precision: number}>} */ ({
  smoke: { stepS: 3, holdS: 5, precision: 0.5 },
  quick: { stepS: 10, holdS: 30, precision: 0.1 },
  full: { stepS: 60, holdS: 300, precision: 0.05 },
});

/** Answers that a step must be able to have: a p99 is judged from 100. */
const ANSWERS = 120;
const LONGEST_STEP_S = 120;

/**
 * Seconds of latency that a step has VUs for (Little's law): several times what the last step that held took, for less ends in
 * dropped iterations; and no more, for each VU opens a session before its step.
 */
const HEADROOM = { factor: 4, leastS: 1, mostS: 10 };

/** @typedef {import('../analysis/tables/trial-results.ts').Tried} Tried */
/** @typedef {import('../analysis/tables/trial-results.ts').CapacityResult} CapacityResult */

/** Requests/s. */
const USUAL_START = 50;

/** @type {import('./lasts.ts').Lasts} */
export const lasts = ({ PROFILE, DURATION, RATE, MAX_RATE }, trialS) => {
  const how = /** @type {(typeof HOW)[string]} */ (HOW[PROFILE]);
  const stepS = DURATION ?? how.stepS;
  const seconds = (/** @type {number} */ length) => trialS({ DURATION: `${length}s` });
  return (
    mostSteps(RATE ?? USUAL_START, MAX_RATE, how.precision) * seconds(stepS) +
    seconds(DURATION ? 3 * DURATION : how.holdS)
  );
};

/** @param {any} config @throws {ConfigError} */
export function check({ THRESHOLDS }) {
  if (THRESHOLDS !== 'off') return;
  throw new ConfigError(
    'THRESHOLDS is "off", and capacity looks for the rate that breaks one; valid: unset, or such as each.p99_ms=200',
  );
}

/** @param {import('./lab.js').Lab} lab */
export default async function capacity(lab) {
  const { PROFILE, DURATION, RATE, MAX_RATE: most } = lab.config;
  const how = /** @type {(typeof HOW)[string]} */ (HOW[PROFILE]);
  const stepS = DURATION ?? how.stepS;
  /** @type {Tried[]} */
  const tried = [];
  /** @type {import('../analysis/judge/threshold.ts').Threshold[]} */
  let thresholds = [];
  /** @type {number | null} */
  let headroomS = null;

  /** @param {'step' | 'hold'} kind @param {number} seconds */
  const trying = (kind, seconds) => async (/** @type {number} */ rate) => {
    const least = Math.min(LONGEST_STEP_S, Math.ceil(ANSWERS / rate));
    const trial = await lab.trial({
      name: `${kind}-${tried.length + 1}`,
      labels: { rate, kind },
      env: {
        RATE: String(rate),
        RATE_SCALE: '1',
        DURATION: `${Math.max(seconds, least)}s`,
        ...(headroomS && { VUS: String(Math.max(MIN_VUS, Math.ceil(rate * headroomS))) }),
        // Each trial calls its phase by its own name.
        THRESHOLDS: lab.config.THRESHOLDS.replace(/(^|,\s*)step\./g, '$1each.'),
      },
      judged: false,
    });
    const outcome = outcomeOf(trial);
    tried.push({ trial: trial.name, rate, kind, ...outcome });
    if (outcome.holds) headroomS = headroomOf(trial);
    if (kind === 'hold') thresholds = trial.thresholds;
    const short = outcome.users ? 'no VU was free (MAX_VUS)' : 'the load generator could not make it';
    const because = outcome.generator ? short : outcome.missed.join(', ');
    lab.say(`capacity: ${perSecond(rate)} ${outcome.holds ? 'holds' : `does not hold: ${because}`}`);
    return outcome;
  };

  const found = await searchRate(
    { start: RATE ?? USUAL_START, most, precision: how.precision },
    trying('step', stepS),
    trying('hold', DURATION ? 3 * DURATION : how.holdS),
  );
  /** @type {CapacityResult} */
  const result = { found, tried, precision: how.precision, thresholds };
  lab.result = result;
  lab.say(
    found.rate === null
      ? 'capacity: no rate was held'
      : `capacity: ${perSecond(found.rate)} ${found.broken === null ? '(nothing higher was tried)' : `(${perSecond(found.broken)} does not hold)`}`,
  );
}

/** @param {import('./lab.js').TrialResult} trial one that held @returns {number | null} seconds; null: the test's own */
function headroomOf({ phases, thresholds }) {
  const p99Ms = phases.find(({ measured }) => measured)?.latency_ms?.p99;
  if (p99Ms == null) return null;
  const limits = thresholds.flatMap(({ metric, limit }) =>
    /^(p\d+|avg)_ms$/.test(metric) && limit !== null ? [limit] : [],
  );
  const { factor, leastS, mostS } = HEADROOM;
  return Math.min(mostS, Math.max(leastS, (factor * Math.max(p99Ms, ...limits)) / 1000));
}

/**
 * @param {import('./lab.js').TrialResult} trial
 * @returns {{holds: boolean, generator: boolean, users: boolean, missed: string[]}}
 */
function outcomeOf({ thresholds }) {
  const missed = thresholds.filter(({ outcome }) => outcome === 'fail');
  const unmade = thresholds.filter(
    ({ metric, outcome }) => metric === 'delivered_share' && outcome === 'invalid',
  );
  const generator = unmade.length > 0 && missed.length === 0;
  return {
    holds: thresholds.every(({ outcome }) => outcome === 'pass' || outcome === 'unjudged'),
    generator,
    users: generator && unmade.every(({ by_generator }) => !by_generator),
    missed: missed.map((threshold) =>
      thresholdName({ ...threshold, scope: {} }).replace('the whole run ', ''),
    ),
  };
}
