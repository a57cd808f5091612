/** Where a run broke: the phases in which its clients first saw what is not normal, and since when. */
import { bandOf, P99_NEEDS } from '../band.js';
import { LAG_S, RULE_WINDOW_S } from '../signals.js';
import { counted, milliseconds, percent, perSecond } from '../units.js';
import { samplesIn, staysFrom, steadyPoints, timeOf, usualIn, windowOf } from './windows.js';

/**
 * @typedef {'latency' | 'failures' | 'throughput'} Way how a run breaks
 *
 * @typedef {object} Breakage
 * @property {Way} way
 * @property {boolean} failing the failures left the band, by themselves or at about the same time
 * @property {import('../phases.js').Phase} phase
 * @property {import('../phases.js').Phase | null} baseline null: there is nothing normal to compare with
 * @property {import('./windows.js').Window} normal the baseline's steady points; empty without one
 * @property {import('./windows.js').Window} broken the phase's points from the onset on
 * @property {import('./windows.js').Window} whole all of the phase's points
 * @property {number} onset the point at which it began
 * @property {number} onsetS Unix time
 * @property {string} statement what broke, for the evidence
 * @property {import('../findings.js').Observation} observation
 */

/** Of what is offered, the share that has to be made. */
const DELIVERED_SHARE = 0.95;
/** Of the failures. */
const REFUSED = 0.5;
const NONE = { first: 0, last: -1 };

/**
 * @param {Pick<import('../findings.js').Known, 'plan' | 'phases' | 'thresholds'>} known
 * @param {import('../timeline.js').Timeline} timeline
 * @returns {Breakage[]} the first phase that missed an objective with nothing to be compared with, and the first that broke next
 *   to its baseline: that may be the one that missed it, and have broken all the same
 */
export function breakagesOf({ plan, phases, thresholds }, timeline) {
  // One user's calls, one after the other, each of another kind: they have no load that could be too much.
  if (plan.sequence) return [];
  /** @type {Breakage[]} */
  const breakages = [];
  const legs = legsOf(plan.phases);
  for (const [index, phase] of phases.entries()) {
    // What is done to the parts of an experiment is known, and is what differs between them.
    if (!phase.measured || phase.start === null || phase.end === null || phase.labels.part !== undefined)
      continue;
    const baseline = phases.find(
      (one, first) =>
        first < index &&
        one.measured &&
        !one.overload &&
        one.start !== null &&
        sameCalls(plan.phases[first], plan.phases[index]) &&
        (legs[first] === legs[index] || (phase.labels.rate !== undefined && one.labels.rate !== undefined)),
    );
    const found = baseline
      ? againstBaseline(plan, baseline, phase, timeline, thresholds)
      : byObjectives(phase, timeline, thresholds);
    if (!found || (!found.baseline && breakages.length > 0)) continue;
    breakages.push(found);
    if (found.baseline) break;
  }
  return breakages;
}

/**
 * Legs of an experiment may differ in anything; those whose phases are labelled with their rate differ in that.
 *
 * @param {import('../summary.js').PlannedPhase[]} planned those of all legs, each with a clock of its own
 * @returns {number[]} which leg each is of
 */
function legsOf(planned) {
  let leg = 0;
  return planned.map(({ start_s }, index) => {
    if (start_s < (planned[index - 1]?.start_s ?? 0)) leg++;
    return leg;
  });
}

/**
 * @param {import('../summary.js').PlannedPhase | undefined} a
 * @param {import('../summary.js').PlannedPhase | undefined} b
 */
function sameCalls(a, b) {
  return a?.operation === b?.operation && String(a?.weights) === String(b?.weights);
}

/**
 * @param {import('../summary.js').Plan} plan
 * @param {import('../phases.js').Phase} baseline
 * @param {import('../phases.js').Phase} phase
 * @param {import('../timeline.js').Timeline} timeline
 * @param {import('../thresholds.js').Threshold[]} thresholds
 * @returns {Breakage | null}
 */
function againstBaseline(plan, baseline, phase, timeline, thresholds) {
  const band = bandOf(baseline, plan.objectives);
  if (!band) return byObjectives(phase, timeline, thresholds);
  const normal = steadyPoints(timeline, baseline);
  // The p99 of a few answers is their slowest, and says nothing of what is usual.
  const answers = ((baseline.answered ?? 0) / baseline.duration_s) * timeline.window_s;
  const p99s = answers < P99_NEEDS ? null : (timeline.client.p99 ?? null);
  const p99Limit = Math.max(band.p99_ms, usualIn(p99s, normal) ?? 0);
  return firstOf(phase, timeline, {
    baseline,
    normal,
    p99: { limit: p99Limit, from: band.baseline_p99_ms },
    failed: { limit: band.failure_share, from: band.baseline_failure_share },
  });
}

/**
 * Without anything to compare with, only a missed objective says that something is not as it should be.
 *
 * @param {import('../phases.js').Phase} phase
 * @param {import('../timeline.js').Timeline} timeline
 * @param {import('../thresholds.js').Threshold[]} thresholds
 */
function byObjectives(phase, timeline, thresholds) {
  const missed = (/** @type {string} */ metric) => {
    const found = thresholds.find(
      (one) =>
        one.metric === metric &&
        one.outcome === 'fail' &&
        !one.relative_to &&
        one.limit !== null &&
        one.scope.phase === phase.name &&
        !one.scope.class &&
        !one.scope.operation,
    );
    return { limit: found?.limit ?? Number.POSITIVE_INFINITY, from: null };
  };
  return firstOf(phase, timeline, {
    baseline: null,
    normal: NONE,
    p99: missed('p99_ms'),
    failed: missed('failure_share'),
  });
}

/**
 * @typedef {{limit: number, from: number | null}} Limit
 *
 * @param {import('../phases.js').Phase} phase
 * @param {import('../timeline.js').Timeline} timeline
 * @param {Pick<Breakage, 'baseline' | 'normal'> & {p99: Limit, failed: Limit}} normal
 * @returns {Breakage | null} the way in which it broke the earliest
 */
function firstOf(phase, timeline, { baseline, normal, p99, failed }) {
  const startS = Date.parse(phase.start ?? '') / 1000;
  const endS = Date.parse(phase.end ?? '') / 1000;
  const whole = windowOf(timeline, startS, endS + LAG_S);
  const { name, latency_ms: latency, error_rate: errors, offered_rps: offered, achieved_rps: made } = phase;
  const least = DELIVERED_SHARE * (offered ?? 0);
  /** @type {(Pick<Breakage, 'way' | 'statement'> & {series: string, beyond: (value: number) => boolean, limit: Limit, happened: boolean})[]} */
  const ways = [
    {
      way: 'latency',
      series: 'p99',
      happened: latency !== null && latency.p99 > p99.limit,
      limit: p99,
      beyond: (value) => value > p99.limit,
      statement: `p99 was ${milliseconds(latency?.p99)} in ${name}, at most ${milliseconds(p99.limit)} is normal`,
    },
    {
      way: 'failures',
      series: 'failed',
      happened: errors !== null && errors > failed.limit,
      limit: failed,
      beyond: (value) => value > failed.limit,
      statement: `${percent(errors)} of the requests failed in ${name}, at most ${percent(failed.limit)} is normal`,
    },
    {
      way: 'throughput',
      series: 'iterations',
      happened: offered !== null && made !== null && made < least,
      limit: { limit: least, from: null },
      beyond: (value) => value < least,
      statement: `${name} made ${perSecond(made)} of the ${perSecond(offered)} that were offered (${counted(phase.dropped ?? 0, 'iteration')} dropped)`,
    },
  ];
  const found = ways
    .filter(({ happened }) => happened)
    .flatMap((each) => {
      const series = timeline.client[each.series] ?? null;
      const onset = staysFrom(series, whole, each.beyond);
      if (onset === null || !series) return [];
      // A client's figure looks back, so what it shows began before it; the phase did not.
      const from = steadyPoints(timeline, phase).first;
      const broken = { first: Math.min(Math.max(onset, from), whole.last), last: whole.last };
      const after = samplesIn(series, broken);
      if (after.length === 0) return [];
      const onsetS = timeOf(timeline, onset);
      /** @type {Omit<Breakage, 'failing'>} */
      const breakage = {
        way: each.way,
        phase,
        baseline,
        normal,
        broken,
        whole,
        onset,
        onsetS,
        statement: each.statement,
        observation: {
          series: `client.${each.series}`,
          unit: series.unit,
          from: each.limit.from,
          to: { latency: latency?.p99, failures: errors, throughput: made }[each.way] ?? null,
          threshold: each.limit.limit,
          at: new Date(onsetS * 1000).toISOString(),
        },
      };
      return [breakage];
    });
  // Of two that show at about the same time the waiting says more than what came of it; but a refusal comes of no waiting.
  const { failures, failed: count } = phase;
  const refused = (failures?.rate_limited ?? 0) > REFUSED * (count ?? 0);
  if (refused) found.sort((a, b) => Number(b.way === 'failures') - Number(a.way === 'failures'));
  const [first = null] = found.toSorted((a, b) => (apart(a, b) ? a.onsetS - b.onsetS : 0));
  return first && { ...first, failing: found.some((one) => one.way === 'failures' && !apart(one, first)) };
}

/** @param {Pick<Breakage, 'onsetS'>} a @param {Pick<Breakage, 'onsetS'>} b */
const apart = (a, b) => Math.abs(a.onsetS - b.onsetS) > RULE_WINDOW_S;
