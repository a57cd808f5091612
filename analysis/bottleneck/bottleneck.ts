/**
 * Finds what limited a run in the phase in which it broke. A pure function of the run's facts and its
 * timeline; the rules are data (resources.ts).
 *
 *  1. Find out where and when the run broke (breakage.ts).
 *  2. Find the resources that were at their limit then, but not before (readings.ts).
 *  3. Keep the resources that account for the time added to requests, or for the failures (parts.ts).
 *  4. Drop the resources that are symptoms of others.
 *  5. Rank the rest: by their share of the breakage, by whether they came first, and by their correlation
 *     with latency at a given load.
 */
import { type Capacity, isSerial } from '../capacity.ts';
import type { Timeline } from '../collect/timeline.ts';
import type { Finding } from '../findings/finding.ts';
import type { Known } from '../findings/known.ts';
import type { Phase } from '../judge/phases.ts';
import { BOTTLENECK } from '../limits.ts';
import { partialSpearman } from '../statistics/rank-correlation.ts';
import { type Blocker, blockerOf } from './blocking-tool.ts';
import { type Breakage, breakagesOf, whileWaiting } from './breakage.ts';
import { Reader } from './derived.ts';
import { doubtsOf } from './doubts.ts';
import { missOf } from './miss.ts';
import {
  awayFound,
  awayIn,
  concurrencyFound,
  machineFound,
  nothingFound,
  nothingLasted,
} from './no-suspect.ts';
import { type Part, type Parts, partsOf, shareIn } from './parts.ts';
import { type Held, heldOf } from './readings.ts';
import { type Cause, RESOURCES, type Resource } from './resources.ts';
import { levelIn } from './windows.ts';
import { resourceFound } from './wording.ts';

/** The members of Known that the attribution needs. */
export type Facts = Pick<Known, 'plan' | 'phases' | 'thresholds' | 'timeline'> &
  Partial<Pick<Known, 'lines' | 'buckets' | 'capacities'>>;

/** The input that all steps share. */
export interface Case {
  breakage: Breakage;
  timeline: Timeline;
  /** Unix time of the run's start; reports show times relative to it. */
  startedS: number;
  reader: Reader;
  parts: Parts | null;
  blocker: Blocker | null;
  /** The phase's capacity; null if calls did not wait, or not for long enough. */
  capacity: Capacity | null;
  /** A resource counts as full at this share of its limit; 1 by default. */
  nearly: number;
}

export interface Suspect {
  resource: Resource;
  /** The causes that hold, the most specific first. */
  causes: Cause[];
  held: Held[];
  /** Share of the breakage that the resource accounts for; null if unknown. */
  part: number | null;
  /** The strongest rank correlation of its readings with p99 at a given load. */
  correlation: { series: string; rho: number } | null;
  /** Unix time at which the first of its readings reached its limit. */
  firstS: number | null;
  weight: number;
  /** Signals that its rules need but that have no samples. */
  missing: string[];
}

/** Weights that rank the remaining suspects. */
const WEIGHT = {
  part: 2,
  unknownPart: 0.5,
  saturation: 1,
  utilization: 0.5,
  beyond: 0.75,
  correlation: 1,
  first: 0.5,
};
/** Maximum number of readings, and of powers of ten above a limit, that add to the weight. */
const MAX_COUNT = 2;

/**
 * @returns a finding for each phase that broke (breakage.ts), in order; if none broke, a finding for the
 *   first phase that missed an objective
 */
export function bottleneck({ timeline, ...judged }: Facts): Finding[] {
  if (!timeline) return [];
  const breakages = breakagesOf(judged, timeline);
  if (breakages.length === 0) {
    const miss = missOf(judged, timeline);
    if (!miss) return [];
    return [awayIn(miss.phase, miss.reason, miss.observation) ?? nothingLasted(miss)];
  }
  const found = breakages.map((breakage) => limitOf(breakage, timeline, judged));
  const conclusive = found.filter(({ confidence }) => confidence !== 'inconclusive');
  return conclusive.length > 0 ? conclusive : found.slice(-1);
}

const startOf = (phases: Facts['phases']): number =>
  Math.min(...phases.flatMap(({ start }) => (start === null ? [] : Date.parse(start) / 1000)));

function limitOf(
  breakage: Breakage,
  timeline: Timeline,
  { phases, capacities = [] }: Pick<Facts, 'phases' | 'capacities'>,
): Finding {
  const reader = new Reader(timeline);
  const capacity = capacities.find(({ phase }) => phase === breakage.phase.name) ?? null;
  const caseOf = (its: Breakage): Case => ({
    breakage: its,
    timeline,
    startedS: startOf(phases),
    capacity,
    nearly: 1,
    reader,
    parts: partsOf(reader, its),
    blocker: blockerOf(timeline.operations, its),
  });
  const all = caseOf(breakage);
  const found = likeliest(all);
  if (found) return found;
  const waiting = capacity && whileWaiting(breakage, capacity, timeline);
  const context = waiting ? caseOf(waiting) : all;
  // If the server works on several calls at a time, this limit is a better explanation than a nearly full
  // resource. If it works on one call at a time, the nearly full resource may be the cause.
  const several = () => (isSerial(context.capacity) ? null : concurrencyFound(context));
  return (
    (waiting && likeliest(context)) ??
    machineFound(context) ??
    awayFound(context) ??
    several() ??
    likeliest({ ...context, nearly: BOTTLENECK.nearlyFull }) ??
    concurrencyFound(context) ??
    nothingFound(context, missingOf(RESOURCES, reader))
  );
}

/** @returns null if no resource was at its limit */
function likeliest(context: Case): Finding | null {
  const suspects = RESOURCES.flatMap((resource) => suspectOf(resource, context) ?? []);
  const unexplained = suspects.filter((one) => !suspects.some((other) => explains(other, one, context)));
  const [first, ...others] = unexplained
    .map((one) => weighed(one, unexplained, context))
    .toSorted((a, b) => b.weight - a.weight);
  if (!first) return null;
  const symptoms = suspects.filter((one) => explains(first, one, context));
  return resourceFound(context, { first, others, symptoms, doubts: doubtsOf(first, others, context) });
}

/** @returns null if the resource was not at its limit, or does not account for the breakage */
function suspectOf(resource: Resource, context: Case): Suspect | null {
  const { reader } = context;
  const causes: Cause[] = [];
  /** If two readings share a series, the first is kept. */
  const held: Map<string, Held> = new Map();
  const known: number[] = [];
  for (const cause of resource.causes) {
    const heldReadings = cause.tool && !context.blocker ? null : heldOf(cause, context);
    const part = partOf(resource, cause.parts, context);
    if (!heldReadings || (part !== null && part < BOTTLENECK.minPart)) continue;
    causes.push(cause);
    if (part !== null) known.push(part);
    for (const one of heldReadings) if (!held.has(one.reading.series)) held.set(one.reading.series, one);
  }
  if (causes.length === 0) return null;
  const crossed = [...held.values()].flatMap(({ atS }) => atS ?? []);
  const [correlation = null] = [...held.keys()]
    .flatMap((series) => correlationOf(series, context) ?? [])
    .toSorted((a, b) => b.rho - a.rho);
  return {
    resource,
    causes,
    held: [...held.values()],
    part: known.length > 0 ? Math.max(...known) : null,
    correlation,
    firstS: crossed.length > 0 ? Math.min(...crossed) : null,
    missing: missingOf([resource], reader),
    weight: 0,
  };
}

/**
 * If latency and failures left the normal range together, a resource that causes slow failures has two
 * shares: of the added time and of the failed requests. The larger one counts, because requests that time out
 * can make up all of p99, but little of the mean.
 *
 * @param wanted parts of a request's time
 * @returns the share of the breakage that the resource accounts for; null if unknown
 */
function partOf(
  resource: Resource,
  wanted: Part[] | undefined,
  { breakage: { way, failing, phase }, parts }: Case,
): number | null {
  const failed = failing ? failedPart(resource, phase) : null;
  if (way === 'failures') return failed;
  const share = shareIn(parts, wanted);
  const late = resource.failures && wanted?.length !== 0;
  return late && failed !== null ? Math.max(failed, share ?? 0) : share;
}

/** @returns the share of the failed requests that the resource may have caused; null if none failed */
function failedPart({ failures }: Resource, { failures: counts }: Phase): number | null {
  const all = Object.entries(counts ?? {});
  const sum = (some: typeof all) => some.reduce((total, [, count]) => total + count, 0);
  if (sum(all) === 0) return null;
  // Only a rate limiter causes refusals.
  const own = all.filter(([kind]) => (failures ? failures.includes(kind) : kind !== 'rate_limited'));
  return sum(own) / sum(all);
}

/**
 * @returns the partial rank correlation over the points of the baseline and the phase, controlled for the
 *   load, which drives both series
 */
function correlationOf(name: string, { reader, breakage: { normal, whole } }: Case): Suspect['correlation'] {
  const [series, p99, offered] = [name, 'client.p99', 'client.offered'].map((each) => reader.series(each));
  const points = [normal, whole].flatMap(({ first, last }) =>
    Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index),
  );
  const rows = points.flatMap((point) => {
    const row = [series, p99, offered].map((each) => each?.values[point] ?? null);
    return row.some((value) => value === null) ? [] : [row as number[]];
  });
  const [x = [], y = [], load = []] = [0, 1, 2].map((column) => rows.map((row) => Number(row[column])));
  const rho = partialSpearman(x, y, [load], { overTime: true })?.rho;
  return rho === undefined ? null : { series: name, rho };
}

/**
 * @param unexplained suspects that do not explain each other
 * @returns the suspect with its weight. Parts of a request's time that mainly belong to another suspect (the
 *   first part of its first cause) do not count
 */
function weighed(suspect: Suspect, unexplained: Suspect[], context: Case): Suspect {
  const { resource, held, correlation, firstS, causes } = suspect;
  const othersParts = unexplained
    .filter((one) => one !== suspect)
    .flatMap((one) => one.causes[0]?.parts?.[0] ?? []);
  const own = causes[0]?.parts?.filter((part, index) => index === 0 || !othersParts.includes(part));
  const part = partOf(resource, own, context);
  const full = held.filter(({ reading }) => reading.role === 'utilization').length;
  const clamped = (value: number) => Math.min(MAX_COUNT, Math.max(0, value));
  const beyond = held.flatMap(({ reading, to, threshold }) =>
    reading.role !== 'utilization' && to !== null && threshold ? Math.log10(to / threshold) : [],
  );
  const weight =
    WEIGHT.part * (part ?? WEIGHT.unknownPart) +
    WEIGHT.saturation * clamped(held.length - full) +
    WEIGHT.utilization * clamped(full) +
    WEIGHT.beyond * clamped(Math.max(0, ...beyond)) +
    WEIGHT.correlation * Math.max(0, correlation?.rho ?? 0) +
    (firstS !== null && firstS <= context.breakage.onsetS + BOTTLENECK.lateS ? WEIGHT.first : 0);
  return { ...suspect, part, weight };
}

/** @returns whether `one` is only a symptom of `other` */
function explains(other: Suspect, one: Suspect, { reader, breakage }: Case): boolean {
  if (other === one) return false;
  const { id } = one.resource;
  const later = (one.firstS ?? Number.POSITIVE_INFINITY) > (other.firstS ?? Number.POSITIVE_INFINITY);
  return other.causes.some(({ explains: filled, leadsTo, slows, within }) => {
    if (filled?.includes(id)) return true;
    if (later && (leadsTo?.includes(id) || one.resource.pilesUp)) return true;
    if (!slows?.includes(id) || one.causes.some(({ isRootCause }) => isRootCause)) return false;
    const late = within ? levelIn(reader.series(within), breakage.broken) : null;
    const maxDelayS = late ?? Number.POSITIVE_INFINITY;
    return one.held.every(({ reading, from, to }) => !reading.once || (to ?? 0) - (from ?? 0) <= maxDelayS);
  });
}

/** @returns signals that the resources need but that have no samples */
function missingOf(resources: Resource[], reader: Reader): string[] {
  const needed = new Set(resources.flatMap(({ needs }) => needs));
  return [...needed].filter((name) => !reader.series(name)?.values.some((value) => value !== null));
}
