/** Where a run broke: the phases in which its clients first saw what is not normal, and since when. */
import { counted, milliseconds, percent, perSecond } from '../../contract/units.js';
import { bandOf, P99_NEEDS } from '../band.js';
import { latencyText } from '../latencies.ts';
import { LAG_S, RULE_WINDOW_S } from '../signals.js';
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
 * @typedef {Pick<import('../findings.js').Known, 'plan' | 'phases' | 'thresholds'>} Judged
 *
 * @param {Judged} judged
 * @param {import('../timeline.js').Timeline} timeline
 * @returns {Breakage[]} the first phase that missed an objective with nothing to be compared with, and the first that broke next
 *   to its baseline: that may be the one that missed it, and have broken all the same
 */
export function breakagesOf(judged, timeline) {
  /** @type {Breakage[]} */
  const breakages = [];
  for (const { phase, usual } of comparedPhases(judged, timeline)) {
    const found = firstOf(phase, timeline, usual);
    if (!found || (!found.baseline && breakages.length > 0)) continue;
    breakages.push(found);
    if (found.baseline) break;
  }
  return breakages;
}

/**
 * @typedef {object} Miss an objective that was missed in a phase that did not break
 * @property {import('../phases.js').Phase} phase
 * @property {string} reason what was missed, by how much
 * @property {number} moments points of the timeline that were beyond what is normal
 * @property {number} watched of so many
 * @property {import('../findings.js').Observation} observation its threshold is what is normal
 *
 * @param {Judged} judged of a run in which nothing broke
 * @param {import('../timeline.js').Timeline} timeline
 * @returns {Miss | null} the first one of p99 or of failures
 */
export function missOf(judged, timeline) {
  for (const { phase, usual } of comparedPhases(judged, timeline)) {
    for (const [metric, name, { limit, from }] of /** @type {const} */ ([
      ['p99_ms', 'p99', usual.p99],
      ['failure_share', 'failed', usual.failed],
    ])) {
      const missed = missedIn(phase, metric, judged.thresholds);
      const series = timeline.client[name];
      if (!missed || !series) continue;
      const whole = wholeOf(phase, timeline);
      const watched = samplesIn(series, whole);
      if (watched.length === 0) continue;
      const beyond = watched.filter((value) => value > limit);
      const [first] = beyond;
      return {
        phase,
        reason: missed.reason ?? '',
        moments: beyond.length,
        watched: watched.length,
        observation: {
          series: `client.${name}`,
          unit: series.unit,
          from,
          to: missed.observed,
          threshold: limit,
          at:
            first === undefined
              ? null
              : new Date(timeOf(timeline, series.values.indexOf(first, whole.first)) * 1000).toISOString(),
        },
      };
    }
  }
  return null;
}

/**
 * @typedef {{limit: number, from: number | null}} Limit
 *
 * @typedef {object} Usual what a phase is held against
 * @property {import('../phases.js').Phase | null} baseline null: its objectives alone
 * @property {import('./windows.js').Window} normal the baseline's steady points; empty without one
 * @property {Limit} p99 milliseconds
 * @property {Limit} failed share
 *
 * @param {Judged} judged
 * @param {import('../timeline.js').Timeline} timeline
 * @returns {{phase: import('../phases.js').Phase, usual: Usual}[]}
 */
function comparedPhases({ plan, phases, thresholds }, timeline) {
  // One user's calls, one after the other, each of another kind: they have no load that could be too much.
  if (plan.sequence) return [];
  const legs = legsOf(plan.phases);
  return phases.flatMap((phase, index) => {
    // What is done to the parts of an experiment is known, and is what differs between them.
    if (!phase.measured || phase.start === null || phase.end === null || phase.labels.part !== undefined)
      return [];
    const baseline = phases.find(
      (one, first) =>
        first < index &&
        one.measured &&
        !one.overload &&
        one.start !== null &&
        sameCalls(plan.phases[first], plan.phases[index]) &&
        (legs[first] === legs[index] || (phase.labels.rate !== undefined && one.labels.rate !== undefined)),
    );
    const usual = (baseline && ofBaseline(plan, baseline, timeline)) ?? ofObjectives(phase, thresholds);
    return [{ phase, usual }];
  });
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
 * @param {import('../timeline.js').Timeline} timeline
 * @returns {Usual | null} null: it can't be told what is normal
 */
function ofBaseline(plan, baseline, timeline) {
  const band = bandOf(baseline, plan.objectives);
  if (!band) return null;
  const normal = steadyPoints(timeline, baseline);
  // The p99 of a few answers is their slowest, and says nothing of what is usual.
  const answers = ((baseline.answered ?? 0) / baseline.duration_s) * timeline.window_s;
  const p99s = answers < P99_NEEDS ? null : (timeline.client.p99 ?? null);
  return {
    baseline,
    normal,
    p99: { limit: Math.max(band.p99_ms, usualIn(p99s, normal) ?? 0), from: band.baseline_p99_ms },
    failed: { limit: band.failure_share, from: band.baseline_failure_share },
  };
}

/**
 * Without anything to compare with, only a missed objective says that something is not as it should be.
 *
 * @param {import('../phases.js').Phase} phase
 * @param {import('../thresholds.js').Threshold[]} thresholds
 * @returns {Usual}
 */
function ofObjectives(phase, thresholds) {
  const missed = (/** @type {string} */ metric) => ({
    limit: missedIn(phase, metric, thresholds)?.limit ?? Number.POSITIVE_INFINITY,
    from: null,
  });
  return { baseline: null, normal: NONE, p99: missed('p99_ms'), failed: missed('failure_share') };
}

/**
 * @param {import('../phases.js').Phase} phase
 * @param {string} metric
 * @param {import('../thresholds.js').Threshold[]} thresholds
 * @returns {import('../thresholds.js').Threshold | undefined} the missed objective of the phase as a whole
 */
function missedIn(phase, metric, thresholds) {
  return thresholds.find(
    (one) =>
      one.metric === metric &&
      one.outcome === 'fail' &&
      !one.relative_to &&
      one.limit !== null &&
      one.scope.phase === phase.name &&
      !one.scope.class &&
      !one.scope.operation,
  );
}

/** @param {import('../phases.js').Phase} phase @param {import('../timeline.js').Timeline} timeline @returns {import('./windows.js').Window} */
const wholeOf = ({ start, end }, timeline) =>
  windowOf(timeline, Date.parse(start ?? '') / 1000, Date.parse(end ?? '') / 1000 + LAG_S);

/**
 * @param {import('../phases.js').Phase} phase
 * @param {import('../timeline.js').Timeline} timeline
 * @param {Usual} usual
 * @returns {Breakage | null} the way in which it broke the earliest
 */
function firstOf(phase, timeline, { baseline, normal, p99, failed }) {
  const whole = wholeOf(phase, timeline);
  const {
    name,
    latency_ms: latency,
    error_rate: errors,
    offered_rps: offered,
    iterations,
    duration_s,
  } = phase;
  const made = iterations === null || duration_s === 0 ? null : iterations / duration_s;
  const least = DELIVERED_SHARE * (offered ?? 0);
  /** @type {(Pick<Breakage, 'way' | 'statement'> & {series: string, beyond: (value: number) => boolean, limit: Limit, happened: boolean})[]} */
  const ways = [
    {
      way: 'latency',
      series: 'p99',
      happened: latency !== null && latency.p99 > p99.limit,
      limit: p99,
      beyond: (value) => value > p99.limit,
      statement: `p99 was ${latencyText(latency, 'p99')} in ${name}, at most ${milliseconds(p99.limit)} is normal`,
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
