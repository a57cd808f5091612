/**
 * Finds the load at which a server starts to degrade: the lowest load at which latency, failures or the
 * delivered load are outside the normal range of the lightest load. Loads are phases of a test that differ
 * only in their load, so the result is an interval: the last load without a degradation and the first one
 * with it. The seconds show what left the normal range first, and when.
 */
import { counted, duration, milliseconds, percent, perSecond } from '../../contract/units.js';
import { signalMean } from '../collect/signals.ts';
import { bucketsIn, droppingStretches, failingStretches, slowStretches } from '../episode.ts';
import { callsOf, loadOf, type Phase } from '../judge/phases.ts';
import { shortfallCause } from '../judge/shortfall.ts';
import { NORMAL, ONSET, TRUST } from '../limits.ts';
import { type NormalRange, normalRangeOf, rangeOrigin, rangeText } from '../normal.ts';
import { round } from '../round.ts';
import type { Finding, Observation } from './finding.ts';
import type { Known } from './known.ts';

type Criterion = 'latency' | 'failures' | 'delivery';

/** A phase compared with the normal range. */
export interface Judged {
  phase: Phase;
  /** Criteria that left the normal range. */
  out: Criterion[];
  /** Share of the offered load that was delivered; null in a closed model, which offers no rate. */
  delivered: number | null;
}

/** All phases with the same load. */
type Level = { load: number; phases: Judged[]; holds: boolean };

/** When a criterion first left the normal range. */
type Crossing = { criterion: Criterion; atS: number };

/** Labels that only state the load or its repetition. All other labels are settings that the test varies. */
const SAME_LOAD_LABELS = ['rate', 'users', 'repetition', 'round'];

/** @returns a finding for each load that was varied */
export function onset(known: Known): Finding[] {
  const groups = loads(known);
  return groups.map((group) => findingOf(known, group, groups.length > 1));
}

/**
 * @returns groups of phases that differ only in their load, in order of execution; only groups with more
 *   than one load
 */
function loads({ plan, phases }: Known): Phase[][] {
  const measured = phases.filter((phase) => phase.measured && phase.start !== null && loadOf(phase) > 0);
  const groups: Map<string, Phase[]> = new Map();
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
      // A test with few calls does not measure an onset.
      group.some(
        ({ iterations_planned }) => (iterations_planned ?? NORMAL.minP99Calls) >= NORMAL.minP99Calls,
      ),
  );
}

/** @param several whether there are other groups */
function findingOf(known: Known, group: Phase[], several: boolean): Finding {
  const inUnit = group[0]?.offered_rps === null ? users : perSecond;
  const lightest = Math.min(...group.map(loadOf));
  const baseline = group.find((phase) => loadOf(phase) === lightest) as Phase;
  const planned = known.plan.phases.find(({ name }) => name === baseline.name);
  const about = {
    kind: 'onset' as const,
    subject: (several && planned?.operation) || 'load',
  };
  const range = normalRangeOf(baseline, known.plan.objectives);
  const tooLittle = (reason: string) => ({
    ...about,
    phase: null,
    confidence: 'inconclusive' as const,
    statement: `the degradation point is inconclusive: ${reason}`,
    figures: {},
    evidence: [],
  });
  if (!range) {
    return tooLittle(
      `${baseline.name} (${inUnit(lightest)}) has too few answers or too many failures to define the normal range`,
    );
  }
  const { levels, unmade } = levelsOf(known, group, range);
  const heaviest = levels.at(-1);
  if (!heaviest || (levels.length < 2 && heaviest.holds)) {
    return tooLittle(
      `no load above ${inUnit(lightest)} was delivered with the ${NORMAL.minP99Calls} answers that a p99 needs`,
    );
  }
  const first = levels.find(({ holds }) => !holds) ?? null;
  const last = levels.findLast(({ load, holds }) => holds && load < (first?.load ?? Infinity)) ?? null;
  const evidenceOf = (level: Level | null) => (level ? [describe(level, inUnit)] : []);
  const notMade = unmade.map(
    (phase) =>
      `${inUnit(loadOf(phase))} (${phase.name}) is ignored: its load was not delivered, and the server was not the cause`,
  );
  if (!first) {
    return {
      ...about,
      phase: null,
      confidence: sureOf([heaviest]) ? 'high' : 'medium',
      statement: `nothing left the normal range up to ${inUnit(heaviest.load)}: ${rangeText(range)}`,
      figures: figuresOf(inUnit, range, heaviest, null),
      evidence: [rangeOrigin(range), ...evidenceOf(heaviest), ...notMade],
      observations: observationsOf(range, baseline, heaviest, []),
    };
  }
  const bad = worst(first);
  const crossings = crossingsOf(known, bad, range);
  const held = levels.filter(({ load, holds }) => holds && load > first.load);
  const generator = signalMean(known.server.signals, 'generator_cpu', bad.phase.name);
  const starved = generator !== null && generator > TRUST.maxGeneratorCpu;
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
        ? `degrades between ${inUnit(last.load)} (normal) and ${inUnit(first.load)}: `
        : `already degraded at ${inUnit(first.load)}, the lowest load: `) + whatLeft(bad, crossings),
    figures: figuresOf(inUnit, range, last, first),
    evidence: [
      rangeOrigin(range),
      ...evidenceOf(last),
      ...evidenceOf(first),
      ...whenLeft(bad, crossings),
      ...held.map(({ load }) => `${inUnit(load)} was normal again, so the degradation may be partly chance`),
      ...(starved
        ? [
            `the load generator used ${percent(generator)} of the CPU in ${bad.phase.name}, which may be the cause`,
          ]
        : []),
      ...notMade,
    ],
    observations: observationsOf(range, baseline, first, crossings),
  };
}

/**
 * @returns the levels in ascending order; unmade: phases whose load was not delivered for a reason other
 *   than the server
 */
function levelsOf(known: Known, group: Phase[], range: NormalRange): { levels: Level[]; unmade: Phase[] } {
  const byLoad: Map<number, Judged[]> = new Map();
  const unmade: Phase[] = [];
  const cause = (phase: Phase) => shortfallCause(phase, { ...known, vusMax: 0 }).of;
  let highest = 0;
  for (const phase of known.phases) {
    // A warm-up precedes each k6 run, so the effects of the previous run are over.
    if (!phase.measured) highest = 0;
    if (!group.includes(phase)) continue;
    const load = loadOf(phase);
    const judged = judge(phase, range);
    // Without a rest after a higher load, this may be an after-effect of that load.
    const mayBeAfterEffect = load < highest && judged.out.length > 0;
    highest = Math.max(highest, load);
    if (judged.out.join() === 'delivery' && cause(phase) !== 'server') {
      unmade.push(phase);
    } else if (!mayBeAfterEffect && (judged.out.length > 0 || callsOf(phase) >= NORMAL.minP99Calls)) {
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

function judge(phase: Phase, range: NormalRange): Judged {
  const { offered_rps: offered, iterations, duration_s, latency_ms: latency } = phase;
  const due = (offered ?? 0) * duration_s;
  const delivered = due > 0 ? round(Math.min(1, (iterations ?? 0) / due), 6) : null;
  const out: Criterion[] = [];
  if (latency && callsOf(phase) >= NORMAL.minP99Calls && latency.p99 > range.p99_ms) out.push('latency');
  if ((phase.requests ?? 0) >= NORMAL.minP99Calls && (phase.failure_rate ?? 0) > range.failure_rate)
    out.push('failures');
  if (delivered !== null && delivered < TRUST.minDelivered) out.push('delivery');
  return { phase, out, delivered };
}

/** @returns the phase that shows why the level does not hold */
const worst = ({ phases }: Level): Judged =>
  (phases.find(({ out }) => out.length > 0) ?? phases[0]) as Judged;

const sureOf = (levels: Level[]): boolean =>
  levels.every(({ phases }) => phases.every(({ phase }) => (phase.requests ?? 0) >= ONSET.manyCalls));

/** @returns when each criterion left the normal range in the phase, in order of time */
function crossingsOf(known: Known, { phase, out }: Judged, range: NormalRange): Crossing[] {
  const buckets = bucketsIn(known.buckets, [phase]);
  const stretches = {
    latency: () => slowStretches(buckets, range),
    failures: () => failingStretches(buckets, range),
    delivery: () => droppingStretches(buckets, 1 - TRUST.minDelivered),
  };
  return out
    .flatMap((criterion) => {
      const [first] = stretches[criterion]();
      return first ? [{ criterion, atS: first.fromS }] : [];
    })
    .sort((a, b) => a.atS - b.atS);
}

const WORDS: Record<Criterion, (judged: Judged) => string> = {
  latency: ({ phase }) => `latency (p99 ${milliseconds(phase.latency_ms?.p99)})`,
  failures: ({ phase }) => `failures (${percent(phase.failure_rate)})`,
  delivery: ({ delivered }) => `delivery (${percent(delivered)} of the load)`,
};

/** @returns for example `failures (16 %) left the normal range, then latency (p99 480 ms)` */
function whatLeft(judged: Judged, crossings: Crossing[]): string {
  const [first] = crossings;
  const words = (criteria: Criterion[]) => criteria.map((one) => WORDS[one](judged)).join(' and ');
  if (!first || crossings.length < judged.out.length) return `${words(judged.out)} left the normal range`;
  const isFirst = ({ atS }: Crossing) => atS === first.atS;
  const then = crossings.filter((crossing) => !isFirst(crossing));
  return (
    `${words(crossings.filter(isFirst).map(({ criterion }) => criterion))} left the normal range` +
    (then.length > 0 ? ` first, then ${words(then.map(({ criterion }) => criterion))}` : '')
  );
}

function whenLeft({ phase }: Judged, crossings: Crossing[]): string[] {
  if (crossings.length === 0) return [];
  const startS = Date.parse(phase.start ?? '') / 1000;
  const times = crossings.map(
    ({ criterion, atS }) => `${criterion} ${duration(Math.round(atS - startS))} after ${phase.name} began`,
  );
  return [`outside the normal range: ${times.join(', ')}; precision: 1 s`];
}

const users = (count: number | null): string => `${counted(count ?? 0, 'VU')}`;

function describe(level: Level, inUnit: (load: number) => string): string {
  const { phase, delivered } = worst(level);
  return (
    `${inUnit(level.load)} (${phase.name}): p99 ${milliseconds(phase.latency_ms?.p99)}, ${percent(phase.failure_rate)} failed` +
    (delivered === null ? '' : `, ${percent(delivered)} delivered`)
  );
}

function figuresOf(
  inUnit: (load: number) => string,
  range: NormalRange,
  last: Level | null,
  first: Level | null,
): Record<string, number | null> {
  const unit = inUnit === users ? 'users' : 'rps';
  const { phase, delivered } = worst((first ?? last) as Level);
  return {
    [`last_good_${unit}`]: last?.load ?? null,
    [`first_bad_${unit}`]: first?.load ?? null,
    normal_p99_ms: range.p99_ms,
    normal_failure_rate: range.failure_rate,
    p99_ms: phase.latency_ms?.p99 ?? null,
    failure_rate: phase.failure_rate,
    delivered_share: delivered,
    achieved_rps: phase.achieved_rps,
  };
}

function observationsOf(
  range: NormalRange,
  baseline: Phase,
  level: Level,
  crossings: Crossing[],
): Observation[] {
  const { phase, out } = worst(level);
  const dropped = (one: Phase) => round((one.dropped ?? 0) / one.duration_s);
  const at = (criterion: Criterion) => {
    const crossing = crossings.find((one) => one.criterion === criterion);
    return crossing ? new Date(crossing.atS * 1000).toISOString() : null;
  };
  return [
    {
      series: 'client.p99',
      unit: 'milliseconds',
      from: range.baseline_p99_ms,
      to: phase.latency_ms?.p99 ?? null,
      threshold: range.p99_ms,
      at: at('latency'),
    },
    {
      series: 'client.failed',
      unit: 'ratio',
      from: range.baseline_failure_rate,
      to: phase.failure_rate,
      threshold: range.failure_rate,
      at: at('failures'),
    },
    ...(out.includes('delivery')
      ? [
          {
            series: 'client.dropped',
            unit: 'rate',
            from: dropped(baseline),
            to: dropped(phase),
            threshold: round((1 - TRUST.minDelivered) * (phase.offered_rps ?? 0)),
            at: at('delivery'),
          },
        ]
      : []),
  ];
}
