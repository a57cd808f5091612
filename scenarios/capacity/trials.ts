import { freemem, totalmem } from 'node:os';
import type { Threshold } from '../../analysis/judge/threshold.ts';
import { thresholdName } from '../../analysis/judge/threshold-words.ts';
import type { Config } from '../../cli/trials/config.ts';
import type { Lab, TrialResult } from '../../cli/trials/lab.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import { ConfigError } from '../../contract/config-error.js';
import type { ProfileName } from '../../contract/profiles.js';
import { MIN_VUS } from '../../lib/phases.js';
import { type CapacityOf, TEXTS } from './capacity-of.ts';
import { type Found, maxSteps, type Step, searchRate } from './search-rate.ts';
import type { variables } from './variables.ts';

export interface Tried extends Step {
  trial: string;
  /** Requests/s. */
  rate: number;
  kind: 'step' | 'hold';
  /** The generator did not make the load because no VU was free. Absent in the results of older versions. */
  users?: boolean;
  /** The missed objectives. */
  missed: string[];
}

export interface CapacityResult {
  /**
   * The quantity that was searched for. Absent in the results of older versions, which searched for a rate.
   */
  of?: CapacityOf;
  found: Found;
  /** The steps in order. */
  tried: Tried[];
  precision: number;
  /** Thresholds of the last hold. */
  thresholds: Threshold[];
}

/** Length of a step and of the hold, seconds, and the relative difference at which the search ends. */
const LENGTHS: Record<ProfileName, { stepS: number; holdS: number; precision: number }> = {
  smoke: { stepS: 3, holdS: 5, precision: 0.5 },
  quick: { stepS: 10, holdS: 30, precision: 0.1 },
  full: { stepS: 60, holdS: 300, precision: 0.05 },
};
/** Length of the hold in steps, if DURATION sets the length of a step. */
const HOLD_STEPS = 3;

/** Minimum number of answers per step: judging a p99 takes 100. */
const MIN_ANSWERS = 120;
const MAX_STEP_S = 120;
/** Length of a step with processes. They make few calls, and no percentile is judged by default. */
const PROCESSES_STEP_S = 20;

/**
 * Latency for which a step has enough VUs (Little's law): several times the latency of the last step that
 * held. Fewer VUs would drop iterations. More VUs would take longer to start, because each opens a session
 * before the step.
 */
const HEADROOM = { factor: 4, minS: 1, maxS: 10 };

/** In requests/s and in processes. */
const DEFAULT_START = { rate: 50, processes: 10 };
/** Calls/s of each process, as from a person's client. */
const CALLS_OF_PROCESS = 0.2;
/** Minimum free share of the machine's memory for starting more processes. */
const MIN_FREE_MEMORY = 0.1;

type CapacityConfig = Config<typeof variables>;

function boundsOf({ CAPACITY_OF, RATE, MAX_RATE, MAX_VUS }: CapacityConfig) {
  return CAPACITY_OF === 'processes'
    ? { start: DEFAULT_START.processes, max: MAX_VUS, whole: true }
    : { start: RATE ?? DEFAULT_START.rate, max: MAX_RATE };
}

function lengthsOf({ PROFILE, DURATION }: CapacityConfig) {
  const { stepS, holdS, precision } = LENGTHS[PROFILE];
  return { stepS: DURATION ?? stepS, holdS: DURATION ? HOLD_STEPS * DURATION : holdS, precision };
}

export const lasts: TrialsModule<CapacityConfig>['lasts'] = (config, trialS) => {
  const { stepS, holdS, precision } = lengthsOf(config);
  const { start, max } = boundsOf(config);
  const seconds = (length: number) => trialS({ DURATION: `${length}s` });
  const steps = maxSteps(start, max, precision);
  return steps * seconds(stepS) + seconds(holdS);
};

export function check({ THRESHOLDS, CAPACITY_OF, TARGET_COMMAND }: CapacityConfig) {
  if (CAPACITY_OF === 'processes' && !TARGET_COMMAND)
    throw new ConfigError('CAPACITY_OF=processes needs TARGET_COMMAND');
  if (THRESHOLDS !== 'off') return;
  throw new ConfigError(
    'THRESHOLDS is "off", but capacity needs an objective; valid: unset, or each.p99_ms=200',
  );
}

export default async function capacity(lab: Lab<CapacityConfig, CapacityResult>) {
  const { CAPACITY_OF: of, THRESHOLDS } = lab.config;
  const { text } = TEXTS[of];
  const { stepS, holdS, precision } = lengthsOf(lab.config);
  const tried: Tried[] = [];
  let thresholds: Threshold[] = [];
  let headroomS: number | null = null;

  const envOf = (size: number): Record<string, string> => {
    if (of === 'processes')
      return { RATE: String(size * CALLS_OF_PROCESS), VUS: String(size), PROCESSES: 'per-vu' };
    return {
      RATE: String(size),
      ...(headroomS && { VUS: String(Math.max(MIN_VUS, Math.ceil(size * headroomS))) }),
    };
  };
  const trying = (kind: Tried['kind'], seconds: number) => async (rate: number) => {
    const name = `${kind}-${tried.length + 1}`;
    if (of === 'processes' && freemem() / totalmem() < MIN_FREE_MEMORY) {
      lab.logProgress("capacity: starting no more processes, because the machine's memory is nearly full");
      const full = { holds: false, generator: false, missed: ['memory of the machine'] };
      tried.push({ trial: name, rate, kind, ...full });
      return full;
    }
    const env = envOf(rate);
    const neededS =
      of === 'processes' ? PROCESSES_STEP_S : Math.min(MAX_STEP_S, Math.ceil(MIN_ANSWERS / rate));
    const trial = await lab.trial({
      name,
      labels: { rate, kind },
      env: {
        ...env,
        RATE_SCALE: '1',
        DURATION: `${Math.max(seconds, neededS)}s`,
        // Each trial gives its phase another name.
        THRESHOLDS: THRESHOLDS.replace(/(^|,\s*)step\./g, '$1each.'),
      },
      judged: false,
    });
    const outcome = outcomeOf(trial);
    tried.push({ trial: trial.name, rate, kind, ...outcome });
    if (outcome.holds) headroomS = headroomOf(trial);
    if (kind === 'hold') thresholds = trial.thresholds;
    const shortage = outcome.users
      ? 'no VU was free (MAX_VUS)'
      : 'the load generator could not deliver the load';
    const reason = outcome.generator ? shortage : outcome.missed.join(', ');
    lab.logProgress(`capacity: ${text(rate)} ${outcome.holds ? 'holds' : `does not hold: ${reason}`}`);
    return outcome;
  };

  const found = await searchRate(
    { ...boundsOf(lab.config), precision },
    trying('step', stepS),
    trying('hold', holdS),
  );
  lab.result = { of, found, tried, precision, thresholds };
  const above = found.broken === null ? 'nothing higher was tried' : `${text(found.broken)} does not hold`;
  lab.logProgress(
    found.rate === null ? 'capacity: no rate held' : `capacity: ${text(found.rate)} (${above})`,
  );
}

/** @param trial a trial that held @returns seconds; null = the test's default */
function headroomOf({ phases, thresholds }: TrialResult): number | null {
  const p99Ms = phases.find(({ measured }) => measured)?.latency_ms?.p99;
  if (p99Ms == null) return null;
  const limits = thresholds.flatMap(({ metric, limit }) =>
    /^(p\d+|avg)_ms$/.test(metric) && limit !== null ? [limit] : [],
  );
  const { factor, minS, maxS } = HEADROOM;
  return Math.min(maxS, Math.max(minS, (factor * Math.max(p99Ms, ...limits)) / 1000));
}

function outcomeOf({ thresholds }: TrialResult) {
  const missed = thresholds.filter(({ outcome }) => outcome === 'fail');
  const notDelivered = thresholds.filter(
    ({ metric, outcome }) => metric === 'delivered_share' && outcome === 'invalid',
  );
  const generator = notDelivered.length > 0 && missed.length === 0;
  return {
    holds: thresholds.every(({ outcome }) => outcome === 'pass' || outcome === 'unjudged'),
    generator,
    users: generator && notDelivered.every(({ by_generator }) => !by_generator),
    missed: missed.map((threshold) =>
      thresholdName({ ...threshold, scope: {} }).replace('the whole run ', ''),
    ),
  };
}
