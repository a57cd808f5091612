/**
 * What limited the run where it broke: the heart of a report. A pure function of the run's facts and its timeline; the rules
 * are data (resources.ts).
 *
 *  1. Where did it break, and when (breakage.ts)?
 *  2. Which resources were at their limit there, and were not before (readings.ts)?
 *  3. Which of them hold the time that was added to requests, or the failures (parts.ts)? What holds none of it limits nothing.
 *  4. Which are symptoms of others? Those are explained away.
 *  5. Of what is left: how much of the breakage is its, did it come first, does it go along with latency at a given load?
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

/** All that is needed of Known. */
export type Facts = Pick<Known, 'plan' | 'phases' | 'thresholds' | 'timeline'> &
  Partial<Pick<Known, 'lines' | 'buckets' | 'capacities'>>;

/** What all steps look at. */
export interface Case {
  breakage: Breakage;
  timeline: Timeline;
  /** Unix time of the run's start, from which reports count. */
  startedS: number;
  reader: Reader;
  parts: Parts | null;
  blocker: Blocker | null;
  /** Of the phase; null: calls did not wait, or not for long enough. */
  capacity: Capacity | null;
  /** What is this near to a limit counts as being at it: a share of the limit, 1 as a rule. */
  nearly: number;
}

export interface Suspect {
  resource: Resource;
  /** Those that hold, the most telling first. */
  causes: Cause[];
  held: Held[];
  /** Of what broke that is its; null: it can't be told. */
  part: number | null;
  /** With p99 at a given load: the largest of its readings. */
  correlation: { series: string; rho: number } | null;
  /** Unix time at which the first of its readings was crossed. */
  firstS: number | null;
  weight: number;
  /** Signals that it needs and that have no samples. */
  missing: string[];
}

/** What counts how much for the order of those that are left. */
const WEIGHT = {
  part: 2,
  unknownPart: 0.5,
  saturation: 1,
  utilisation: 0.5,
  beyond: 0.75,
  correlation: 1,
  first: 0.5,
};
/** More readings, and powers of ten beyond a limit, than this add nothing. */
const MOST = 2;

/**
 * @returns one for each phase that broke (breakage.ts), in their order; where none did, one that says so of the first that missed an
 *   objective
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
  const told = found.filter(({ confidence }) => confidence !== 'not_enough_to_tell');
  return told.length > 0 ? told : found.slice(-1);
}

/** @returns Unix time */
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
  const the = waiting ? caseOf(waiting) : all;
  // Several calls at a time say more than a resource that is nearly full; one at a time may be that resource.
  const several = () => (isSerial(the.capacity) ? null : concurrencyFound(the));
  return (
    (waiting && likeliest(the)) ??
    machineFound(the) ??
    awayFound(the) ??
    several() ??
    likeliest({ ...the, nearly: BOTTLENECK.nearlyFull }) ??
    concurrencyFound(the) ??
    nothingFound(the, missingOf(RESOURCES, reader))
  );
}

/** @returns null: no resource was at its limit */
function likeliest(the: Case): Finding | null {
  const suspects = RESOURCES.flatMap((resource) => suspectOf(resource, the) ?? []);
  const left = suspects.filter((one) => !suspects.some((other) => explains(other, one, the)));
  const [first, ...others] = left
    .map((one) => weighed(one, left, the))
    .toSorted((a, b) => b.weight - a.weight);
  if (!first) return null;
  const symptoms = suspects.filter((one) => explains(first, one, the));
  return resourceFound(the, { first, others, symptoms, doubts: doubtsOf(first, others, the) });
}

/** @returns null: it was not at its limit, or what broke is not its doing */
function suspectOf(resource: Resource, the: Case): Suspect | null {
  const { reader } = the;
  const causes: Cause[] = [];
  /** Of two readings of one series the first. */
  const held: Map<string, Held> = new Map();
  const known: number[] = [];
  for (const cause of resource.causes) {
    const its = cause.tool && !the.blocker ? null : heldOf(cause, the);
    const part = partOf(resource, cause.parts, the);
    if (!its || (part !== null && part < BOTTLENECK.minPart)) continue;
    causes.push(cause);
    if (part !== null) known.push(part);
    for (const one of its) if (!held.has(one.reading.series)) held.set(one.reading.series, one);
  }
  if (causes.length === 0) return null;
  const crossed = [...held.values()].flatMap(({ atS }) => atS ?? []);
  const [correlation = null] = [...held.keys()]
    .flatMap((series) => correlationOf(series, the) ?? [])
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
 * Where both broke together, the larger of its two shares, if these failures can be its alone and take time: a tenth of the
 * requests that time out is all of p99, and little of the mean.
 *
 * @param wanted of the time of a request
 * @returns share of what broke that is its; null: it can't be told
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

/** @returns share of its failed requests that may be the resource's doing; null: nothing failed */
function failedPart({ failures }: Resource, { failures: counts }: Phase): number | null {
  const all = Object.entries(counts ?? {});
  const sum = (some: typeof all) => some.reduce((total, [, count]) => total + count, 0);
  if (sum(all) === 0) return null;
  // Refusals are a rate limiter's alone.
  const own = all.filter(([kind]) => (failures ? failures.includes(kind) : kind !== 'rate_limited'));
  return sum(own) / sum(all);
}

/** @returns of the baseline's and the phase's points; load drives everything, so what it explains is taken out */
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

/** @param left none of which explains another @returns with its weight; what is first of all another's part is not its own */
function weighed(suspect: Suspect, left: Suspect[], the: Case): Suspect {
  const { resource, held, correlation, firstS, causes } = suspect;
  const taken = left.filter((one) => one !== suspect).flatMap((one) => one.causes[0]?.parts?.[0] ?? []);
  const own = causes[0]?.parts?.filter((part, index) => index === 0 || !taken.includes(part));
  const part = partOf(resource, own, the);
  const full = held.filter(({ reading }) => reading.role === 'utilisation').length;
  const most = (value: number) => Math.min(MOST, Math.max(0, value));
  const beyond = held.flatMap(({ reading, to, threshold }) =>
    reading.role !== 'utilisation' && to !== null && threshold ? Math.log10(to / threshold) : [],
  );
  const weight =
    WEIGHT.part * (part ?? WEIGHT.unknownPart) +
    WEIGHT.saturation * most(held.length - full) +
    WEIGHT.utilisation * most(full) +
    WEIGHT.beyond * most(Math.max(0, ...beyond)) +
    WEIGHT.correlation * Math.max(0, correlation?.rho ?? 0) +
    (firstS !== null && firstS <= the.breakage.onsetS + BOTTLENECK.lateS ? WEIGHT.first : 0);
  return { ...suspect, part, weight };
}

/** @returns is one no more than a symptom of the other? */
function explains(other: Suspect, one: Suspect, { reader, breakage }: Case): boolean {
  if (other === one) return false;
  const { id } = one.resource;
  const later = (one.firstS ?? Number.POSITIVE_INFINITY) > (other.firstS ?? Number.POSITIVE_INFINITY);
  return other.causes.some(({ explains: filled, leadsTo, slows, within }) => {
    if (filled?.includes(id)) return true;
    if (later && (leadsTo?.includes(id) || one.resource.pilesUp)) return true;
    if (!slows?.includes(id) || one.causes.some(({ itself }) => itself)) return false;
    const late = within ? levelIn(reader.series(within), breakage.broken) : null;
    const most = late ?? Number.POSITIVE_INFINITY;
    return one.held.every(({ reading, from, to }) => !reading.once || (to ?? 0) - (from ?? 0) <= most);
  });
}

/** @returns signals that they need and that have no samples */
function missingOf(resources: Resource[], reader: Reader): string[] {
  const needed = new Set(resources.flatMap(({ needs }) => needs));
  return [...needed].filter((name) => !reader.series(name)?.values.some((value) => value !== null));
}
