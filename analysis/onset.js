/**
 * From which load on a server degrades: the first at which latency, failures or the delivery of the load are no longer what
 * they are at the lightest. Loads are the phases of a test that varies nothing else, so the answer is an interval: what
 * was offered last without harm, and what was offered first with it. When, and what gave way first, the timeline says.
 */
import { duration, milliseconds, number, percent, perSecond } from '../contract/units.js';
import { bandOf, bandOrigin, bandText, HISTOGRAM_ERROR, P99_NEEDS } from './band.js';
import { timesOf } from './grid.ts';
import { callsOf, loadOf } from './phases.js';
import { round } from './round.js';
import { shortfallCause } from './shortfall.js';
import { signalMean } from './signals.js';

import { GENERATOR_CPU_LIMIT } from './trust-rules.js';

/**
 * @typedef {import('./phases.js').Phase} Phase
 * @typedef {import('./findings.js').Known} Known
 * @typedef {'latency' | 'failures' | 'delivery'} Criterion
 *
 * @typedef {object} Judged a phase against the band
 * @property {Phase} phase
 * @property {Criterion[]} out what left the band
 * @property {number | null} delivered share of the load; null: of users, who offer none
 *
 * @typedef {{load: number, phases: Judged[], holds: boolean}} Level all phases of one load
 *
 * @typedef {{criterion: Criterion, atS: number}} Crossing when something first left the band
 */

/** Labels that say no more than the load does, or which repetition of it a phase is: not what else a test varies. */
const SAME_LOAD_LABELS = ['rate', 'users', 'repetition', 'round'];
/** Of what was offered, so much has to be made: as in the objectives of every test. */
const DELIVERED_SHARE = 0.95;
/** With fewer answers a p99 is mostly chance. */
const MANY_ANSWERS = 1000;

/**
 * @param {Known} known
 * @returns {import('./findings.js').Finding[]} one for each load that was varied
 */
export function onset(known) {
  const groups = loads(known);
  return groups.map((group) => findingOf(known, group, groups.length > 1));
}

/**
 * @param {Known} known
 * @returns {Phase[][]} phases between which only the load varies, in the order in which they ran, where it does
 */
function loads({ plan, phases }) {
  const measured = phases.filter((phase) => phase.measured && phase.start !== null && loadOf(phase) > 0);
  /** @type {Map<string, Phase[]>} */
  const groups = new Map();
  for (const phase of measured) {
    const planned = plan.phases.find(({ name }) => name === phase.name);
    const labels = Object.entries(phase.labels).filter(([label]) => !SAME_LOAD_LABELS.includes(label));
    const key = JSON.stringify([
      phase.offered_rps === null,
      planned?.operation,
      planned?.weights,
      labels.sort(),
    ]);
    groups.set(key, [...(groups.get(key) ?? []), phase]);
  }
  return [...groups.values()].filter(
    (group) =>
      new Set(group.map(loadOf)).size > 1 &&
      // A test of few calls is about something else.
      group.some(({ iterations_planned }) => (iterations_planned ?? P99_NEEDS) >= P99_NEEDS),
  );
}

/**
 * @param {Known} known
 * @param {Phase[]} group
 * @param {boolean} several there are others
 * @returns {import('./findings.js').Finding}
 */
function findingOf(known, group, several) {
  const inUnit = group[0]?.offered_rps === null ? users : perSecond;
  const lightest = Math.min(...group.map(loadOf));
  const baseline = /** @type {Phase} */ (group.find((phase) => loadOf(phase) === lightest));
  const planned = known.plan.phases.find(({ name }) => name === baseline.name);
  const about = {
    kind: /** @type {const} */ ('onset'),
    subject: (several && planned?.operation) || 'load',
  };
  const band = bandOf(baseline, known.plan.objectives);
  const tooLittle = (/** @type {string} */ reason) => ({
    ...about,
    phase: null,
    confidence: /** @type {const} */ ('not_enough_to_tell'),
    statement: `not enough to tell from which load on it degrades: ${reason}`,
    figures: {},
    evidence: [],
  });
  if (!band) {
    return tooLittle(
      `${baseline.name} (${inUnit(lightest)}) has too few answers, or too many failures, to show what is normal`,
    );
  }
  const { levels, unmade } = levelsOf(known, group, band);
  const heaviest = levels.at(-1);
  if (!heaviest || (levels.length < 2 && heaviest.holds)) {
    return tooLittle(
      `no load above ${inUnit(lightest)} was made and had ${P99_NEEDS} answers, of which a p99 is one`,
    );
  }
  const first = levels.find(({ holds }) => !holds) ?? null;
  const last = levels.findLast(({ load, holds }) => holds && load < (first?.load ?? Infinity)) ?? null;
  const shown = (/** @type {Level | null} */ level) => (level ? [describe(level, inUnit)] : []);
  const notMade = unmade.map(
    (phase) =>
      `${inUnit(loadOf(phase))} (${phase.name}) says nothing: it was not made, and that was not the server's doing`,
  );
  if (!first) {
    return {
      ...about,
      phase: null,
      confidence: sureOf([heaviest]) ? 'high' : 'medium',
      statement: `nothing left the band up to ${inUnit(heaviest.load)}: ${bandText(band)}`,
      figures: figuresOf(inUnit, band, heaviest, null),
      evidence: [bandOrigin(band), ...shown(heaviest), ...notMade],
      observations: observationsOf(band, baseline, heaviest, []),
    };
  }
  const bad = worst(first);
  const crossings = crossingsOf(known, bad, band);
  const held = levels.filter(({ load, holds }) => holds && load > first.load);
  const generator = signalMean(known.server.signals, 'generator_cpu', bad.phase.name);
  const starved = generator !== null && generator > GENERATOR_CPU_LIMIT;
  return {
    ...about,
    phase: bad.phase.name,
    confidence: starved
      ? 'low'
      : held.length === 0 && sureOf(last ? [last, first] : [first])
        ? 'high'
        : 'medium',
    statement:
      (last
        ? `degrades between ${inUnit(last.load)}, where all was normal, and ${inUnit(first.load)}: `
        : `degraded at ${inUnit(first.load)} already, the least that was offered: `) +
      whatLeft(bad, crossings),
    figures: figuresOf(inUnit, band, last, first),
    evidence: [
      bandOrigin(band),
      ...shown(last),
      ...shown(first),
      ...whenLeft(bad, crossings, known.timeline),
      ...held.map(({ load }) => `${inUnit(load)} was normal again, so chance had a part in it`),
      ...(starved
        ? [
            `the load generator used ${percent(generator)} of the CPU in ${bad.phase.name}: it may be what degraded`,
          ]
        : []),
      ...notMade,
    ],
    observations: observationsOf(band, baseline, first, crossings),
  };
}

/**
 * @param {Known} known
 * @param {Phase[]} group
 * @param {import('./band.js').Band} band
 * @returns {{levels: Level[], unmade: Phase[]}} by rising load; unmade: phases whose load was not made, and not for the server's sake
 */
function levelsOf(known, group, band) {
  /** @type {Map<number, Judged[]>} */
  const byLoad = new Map();
  /** @type {Phase[]} */
  const unmade = [];
  const cause = (/** @type {Phase} */ phase) => shortfallCause(phase, { ...known, vusMax: 0 }).of;
  let highest = 0;
  for (const phase of known.phases) {
    // A warm-up stands before every k6 run, and what the one before has left behind is over.
    if (!phase.measured) highest = 0;
    if (!group.includes(phase)) continue;
    const load = loadOf(phase);
    const judged = judge(phase, band);
    // After a higher load without a rest it may be that one's doing.
    const mayBeAfterEffect = load < highest && judged.out.length > 0;
    highest = Math.max(highest, load);
    if (judged.out.join() === 'delivery' && cause(phase) !== 'server') {
      unmade.push(phase);
    } else if (!mayBeAfterEffect && (judged.out.length > 0 || callsOf(phase) >= P99_NEEDS)) {
      byLoad.set(load, [...(byLoad.get(load) ?? []), judged]);
    }
  }
  const levels = [...byLoad].map(([load, phases]) => ({
    load,
    phases,
    holds: phases.filter(({ out }) => out.length > 0).length <= phases.length / 2,
  }));
  return { levels: levels.sort((a, b) => a.load - b.load), unmade };
}

/**
 * @param {Phase} phase
 * @param {import('./band.js').Band} band
 * @returns {Judged}
 */
function judge(phase, band) {
  const { offered_rps: offered, iterations, duration_s, latency_ms: latency } = phase;
  const due = (offered ?? 0) * duration_s;
  const delivered = due > 0 ? round(Math.min(1, (iterations ?? 0) / due), 6) : null;
  /** @type {Criterion[]} */
  const out = [];
  if (latency && callsOf(phase) >= P99_NEEDS && latency.p99 > band.p99_ms) out.push('latency');
  if ((phase.requests ?? 0) >= P99_NEEDS && (phase.error_rate ?? 0) > band.failure_share)
    out.push('failures');
  if (delivered !== null && delivered < DELIVERED_SHARE) out.push('delivery');
  return { phase, out, delivered };
}

/** @param {Level} level @returns {Judged} the phase that says why it does not hold */
const worst = ({ phases }) => /** @type {Judged} */ (phases.find(({ out }) => out.length > 0) ?? phases[0]);

/** @param {Level[]} levels @returns {boolean} */
const sureOf = (levels) =>
  levels.every(({ phases }) => phases.every(({ phase }) => (phase.requests ?? 0) >= MANY_ANSWERS));

/**
 * @param {Known} known
 * @param {Judged} judged
 * @param {import('./band.js').Band} band
 * @returns {Crossing[]} in the order of time, of what left the band in the phase. One point may be chance: it is the first of two
 */
function crossingsOf({ timeline }, { phase, out }, band) {
  if (!timeline) return [];
  const { client } = timeline;
  const [startS, endS] = [Date.parse(phase.start ?? '') / 1000, Date.parse(phase.end ?? '') / 1000];
  const at = (/** @type {string} */ name, /** @type {number} */ index) => client[name]?.values[index] ?? null;
  /** @type {Record<Criterion, (index: number) => boolean>} */
  const isOut = {
    latency: (index) => (at('p99', index) ?? 0) > band.p99_ms * HISTOGRAM_ERROR,
    failures: (index) => (at('failed', index) ?? 0) > band.failure_share,
    delivery: (index) =>
      (at('dropped', index) ?? 0) > (1 - DELIVERED_SHARE) * (at('offered', index) ?? Infinity),
  };
  const times = timesOf(timeline);
  return out
    .flatMap((criterion) => {
      const index = times.findIndex(
        (timeS, i) => timeS > startS && timeS <= endS && isOut[criterion](i) && isOut[criterion](i + 1),
      );
      const atS = times[index];
      return atS === undefined ? [] : [{ criterion, atS }];
    })
    .sort((a, b) => a.atS - b.atS);
}

/** @type {Record<Criterion, (judged: Judged) => string>} */
const WORDS = {
  latency: ({ phase }) => `latency (p99 ${milliseconds(phase.latency_ms?.p99)})`,
  failures: ({ phase }) => `failures (${percent(phase.error_rate)})`,
  delivery: ({ delivered }) => `delivery (${percent(delivered)} of the load)`,
};

/**
 * @param {Judged} judged
 * @param {Crossing[]} crossings
 * @returns {string} for example `failures (16 %) left the band, then latency (p99 480 ms)`
 */
function whatLeft(judged, crossings) {
  const [first] = crossings;
  const words = (/** @type {Criterion[]} */ criteria) =>
    criteria.map((one) => WORDS[one](judged)).join(' and ');
  if (!first || crossings.length < judged.out.length) return `${words(judged.out)} left the band`;
  const isFirst = (/** @type {Crossing} */ { atS }) => atS === first.atS;
  const then = crossings.filter((crossing) => !isFirst(crossing));
  return (
    `${words(crossings.filter(isFirst).map(({ criterion }) => criterion))} left the band` +
    (then.length > 0 ? ` first, then ${words(then.map(({ criterion }) => criterion))}` : '')
  );
}

/**
 * @param {Judged} judged
 * @param {Crossing[]} crossings
 * @param {Known['timeline']} timeline
 * @returns {string[]}
 */
function whenLeft({ phase }, crossings, timeline) {
  if (!timeline || crossings.length === 0) return [];
  const startS = Date.parse(phase.start ?? '') / 1000;
  const times = crossings.map(
    ({ criterion, atS }) => `${criterion} ${duration(Math.round(atS - startS))} after ${phase.name} began`,
  );
  return [
    `out of the band: ${times.join(', ')}; from points every ${timeline.step_s} s over the last ${timeline.window_s} s, so which went ` +
      `first is known to some seconds`,
  ];
}

/** @param {number | null} count @returns {string} */
const users = (count) => `${number(count)} users`;

/** @param {Level} level @param {(load: number) => string} inUnit @returns {string} */
function describe(level, inUnit) {
  const { phase, delivered } = worst(level);
  return (
    `${inUnit(level.load)} (${phase.name}): p99 ${milliseconds(phase.latency_ms?.p99)}, ${percent(phase.error_rate)} failed` +
    (delivered === null ? '' : `, ${percent(delivered)} delivered`)
  );
}

/**
 * @param {(load: number) => string} inUnit
 * @param {import('./band.js').Band} band
 * @param {Level | null} last
 * @param {Level | null} first
 * @returns {Record<string, number | null>}
 */
function figuresOf(inUnit, band, last, first) {
  const unit = inUnit === users ? 'users' : 'rps';
  const { phase, delivered } = worst(/** @type {Level} */ (first ?? last));
  return {
    [`last_good_${unit}`]: last?.load ?? null,
    [`first_bad_${unit}`]: first?.load ?? null,
    band_p99_ms: band.p99_ms,
    band_failure_share: band.failure_share,
    p99_ms: phase.latency_ms?.p99 ?? null,
    failure_share: phase.error_rate,
    delivered_share: delivered,
    achieved_rps: phase.achieved_rps,
  };
}

/**
 * @param {import('./band.js').Band} band
 * @param {Phase} baseline
 * @param {Level} level
 * @param {Crossing[]} crossings
 * @returns {import('./findings.js').Observation[]}
 */
function observationsOf(band, baseline, level, crossings) {
  const { phase, out } = worst(level);
  const dropped = (/** @type {Phase} */ one) => round((one.dropped ?? 0) / one.duration_s);
  const at = (/** @type {Criterion} */ criterion) => {
    const crossing = crossings.find((one) => one.criterion === criterion);
    return crossing ? new Date(crossing.atS * 1000).toISOString() : null;
  };
  return [
    {
      series: 'client.p99',
      unit: 'milliseconds',
      from: band.baseline_p99_ms,
      to: phase.latency_ms?.p99 ?? null,
      threshold: band.p99_ms,
      at: at('latency'),
    },
    {
      series: 'client.failed',
      unit: 'ratio',
      from: band.baseline_failure_share,
      to: phase.error_rate,
      threshold: band.failure_share,
      at: at('failures'),
    },
    ...(out.includes('delivery')
      ? [
          {
            series: 'client.dropped',
            unit: 'rate',
            from: dropped(baseline),
            to: dropped(phase),
            threshold: round((1 - DELIVERED_SHARE) * (phase.offered_rps ?? 0)),
            at: at('delivery'),
          },
        ]
      : []),
  ];
}
