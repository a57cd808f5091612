/**
 * How long after an overload everything was normal again, from what began in each second after it.
 *
 * They are looked at through windows of some seconds, one begun each second. A window is normal where p99 and the share of
 * failures are in the band, and where there are requests at all: a server that answers nothing has no bad p99. Recovered
 * is from the beginning of the first window from which on all are normal for the hold, so the length of the windows
 * delays nothing.
 */
import { counted, duration, perSecond } from '../../contract/units.js';
import type { Objective } from '../collect/plan.ts';
import { type Line, sumsWithin } from '../collect/seconds.ts';
import { loadOf, type Phase, peaks } from '../judge/phases.ts';
import { round } from '../round.ts';
import { type Band, bandOf, HISTOGRAM_ERROR, P99_NEEDS } from './band.ts';

/** What to look at, and what to compare it with. */
interface RecoveryPlan {
  /** The phase that ended. */
  overload: string;
  /** The phase that shows what is normal. */
  baseline: string;
  band: Band | null;
  /** After the overload. */
  phases: string[];
  /** Unix time of the overload's end. */
  fromS: number;
  toS: number;
  /** Requests that are due each second. */
  per_s: number;
  /** In those phases, as k6 counted them. */
  answered: number;
  window_s: number;
  /** From the beginning of one window to the next one's. */
  step_s: number;
  hold_s: number;
  /** Why it can't be told. */
  problem: string | null;
}

export interface Window {
  /** Its beginning, seconds after the overload's end. */
  afterS: number;
  requests: number;
  /** null: none was answered. */
  p99Ms: number | null;
  failureShare: number;
}

export interface Recovery {
  overload: string;
  baseline: string;
  /** null: the baseline does not show what is normal. */
  band: Band | null;
  /** Unix time of the overload's end. */
  ended_s: number;
  /** How long was watched after it. */
  observed_s: number;
  window_s: number;
  /** Requests of a window that can be normal. */
  least: number;
  hold_s: number;
  /** A recovery is seen up to so much late. */
  late_s: number;
  /** null: not within what was watched, or not enough to tell. */
  recovery_s: number | null;
  /** Of p99 alone. */
  latency_recovery_s: number | null;
  /** Of the failures alone. */
  failures_recovery_s: number | null;
  /** The last window. */
  last: Window | null;
  confidence: 'high' | 'medium' | 'low' | 'not_enough_to_tell';
  /** Why it is not enough to tell. */
  reason: string | null;
}

/** k6 pushes so often, and a moment shows what was pushed before it. */
const PUSH_S = 2;
const STEP_S = 1;
/** Recovered is from when all stays in the band for so long; a bad moment later on is not the overload's doing. */
const HOLD_S = 10;
/** The shortest that holds enough requests is taken. */
const WINDOWS_S = [6, 10, 20, 30, 60];
/** Less than this part of the requests that are due is a service that stands still. */
const MIN_SHARE = 0.5;
/** So a p99 can be judged of a window that does not stand still. A load of which 95 % are made is delivered. */
const WINDOW_NEEDS = (0.95 * P99_NEEDS) / MIN_SHARE;
/** Phases that follow one another; k6's clock is good for some ten milliseconds. */
const GAP_MS = 500;
const MOST_WINDOWS = 1800;
const MANY_WINDOWS = 10;

/**
 * @returns one for each overload with a baseline before and a phase of no more load right after it. Overloads without a rest between them
 *   are one, which ends with the last of them.
 */
export function planRecoveries(phases: Phase[], objectives: Objective[]): RecoveryPlan[] {
  const overloads = peaks(phases);
  return overloads.flatMap((overload) => {
    const index = phases.indexOf(overload);
    const baseline = phases.find(
      (phase, i) => i < index && phase.measured && !phase.overload && phase.answered,
    );
    if (!baseline || overload.end === null) return [];
    const after = restAfter(overload, phases.slice(index + 1), baseline);
    const toMs = Date.parse(after.at(-1)?.end ?? '');
    if (Number.isNaN(toMs)) return [];
    const band = bandOf(baseline, objectives);
    const fromS = Date.parse(overload.end) / 1000;
    const lightest = Math.min(...after.map(loadOf)) / loadOf(baseline);
    const perS = lightest * (baseline.requests_per_s ?? 0);
    const step_s = Math.max(STEP_S, Math.ceil((toMs / 1000 - fromS) / MOST_WINDOWS));
    const window = WINDOWS_S.find((seconds) => seconds >= step_s && seconds * perS >= WINDOW_NEEDS);
    const window_s = window ?? Math.max(step_s, ...WINDOWS_S);
    return [
      {
        overload: overload.name,
        baseline: baseline.name,
        band,
        phases: after.map(({ name }) => name),
        fromS,
        toS: toMs / 1000,
        per_s: perS,
        answered: after.reduce((sum, { answered }) => sum + (answered ?? 0), 0),
        window_s,
        step_s,
        hold_s: Math.max(HOLD_S, window_s),
        problem: !band
          ? `${baseline.name} has too few answers, or too many failures, to show what is normal`
          : window === undefined
            ? `a p99 needs ${P99_NEEDS} answers, and at ${perSecond(perS)} ${duration(window_s)} hold too few`
            : null,
      },
    ];
  });
}

/** @returns those that follow without a pause and can be compared with the baseline */
function restAfter(overload: Phase, later: Phase[], baseline: Phase): Phase[] {
  const end = later.findIndex((phase, index) => {
    const before = later[index - 1] ?? overload;
    const [endMs, startMs] = [Date.parse(before.end ?? ''), Date.parse(phase.start ?? '')];
    const goesOn = phase.measured && phase.end !== null && startMs - endMs < GAP_MS;
    const comparable = (phase.offered_rps === null) === (baseline.offered_rps === null);
    return !(goesOn && comparable && loadOf(phase) <= loadOf(baseline));
  });
  return end === -1 ? later : later.slice(0, end);
}

/** @param lines of the run's seconds @returns one for each overload that has one */
export function recoveries(phases: Phase[], objectives: Objective[], lines: readonly Line[]): Recovery[] {
  return planRecoveries(phases, objectives).map((plan) => judgeRecovery(plan, windowsOf(lines, plan)));
}

function windowsOf(
  lines: readonly Line[],
  { phases, fromS, toS, window_s, step_s, problem }: RecoveryPlan,
): Window[] {
  const firstS = fromS + window_s;
  if (problem || firstS > toS) return [];
  const count = Math.floor((toS - firstS) / step_s) + 1;
  const starts = Array.from({ length: count }, (_, index) => fromS + index * step_s);
  const found = sumsWithin(
    lines,
    starts.map((start) => ({ fromS: start, toS: start + window_s, phases })),
  );
  return found.map(({ requests, failed, latencies }, index) => ({
    afterS: index * step_s,
    requests,
    p99Ms: latencies.all.percentile(0.99),
    failureShare: requests > 0 ? failed / requests : 0,
  }));
}

/** @param windows in order, one each step */
export function judgeRecovery(plan: RecoveryPlan, windows: Window[]): Recovery {
  const { band, hold_s, window_s, step_s, per_s } = plan;
  const observedS = plan.toS - plan.fromS;
  const least = MIN_SHARE * per_s * window_s;
  const [p99Limit, failureLimit] = [(band?.p99_ms ?? 0) * HISTOGRAM_ERROR, band?.failure_share ?? 0];
  const answers = ({ requests, p99Ms }: Window) => requests >= least && p99Ms !== null;
  const fast = (window: Window) => answers(window) && Number(window.p99Ms) <= p99Limit;
  const well = (window: Window) => window.requests >= least && window.failureShare <= failureLimit;
  const from = (isNormal: (window: Window) => boolean): number | null => {
    const found = windows.find(
      ({ afterS: start }) =>
        // The last window of the hold ends with it.
        (windows.at(-1)?.afterS ?? 0) >= start + hold_s - window_s &&
        windows.every(
          (window) => window.afterS < start || window.afterS > start + hold_s - window_s || isNormal(window),
        ),
    );
    return found ? round(found.afterS, 1) : null;
  };
  const isNormal = (window: Window) => fast(window) && well(window);
  const recovery_s = from(isNormal);
  const last = windows.at(-1) ?? null;
  const reason =
    plan.problem ??
    (!last || observedS < hold_s
      ? `it was watched for ${duration(round(observedS, 1))}, and all has to stay in the band for ${hold_s} s`
      : plan.answered > 0 && windows.every(({ requests }) => requests === 0)
        ? `none of the ${counted(plan.answered, 'answer')} after it was kept second by second`
        : recovery_s === null && isNormal(last)
          ? `all was normal at the end, but not for the ${hold_s} s that it has to stay so`
          : null);
  const sure = window_s === WINDOWS_S[0] && windows.length >= MANY_WINDOWS;
  return {
    overload: plan.overload,
    baseline: plan.baseline,
    band,
    ended_s: plan.fromS,
    observed_s: round(observedS, 1),
    window_s,
    least: Math.ceil(least),
    hold_s,
    late_s: PUSH_S + step_s,
    recovery_s: reason ? null : recovery_s,
    latency_recovery_s: reason ? null : from(fast),
    failures_recovery_s: reason ? null : from(well),
    last,
    confidence: reason ? 'not_enough_to_tell' : sure ? 'high' : 'medium',
    reason,
  };
}
