/** Does what resources.ts says of a resource hold where the run broke? */

import type { Timeline, TimeSeries } from '../collect/timeline.ts';
import { BOTTLENECK } from '../limits.ts';
import type { Case } from './bottleneck.ts';
import { type Cause, CONSUMERS, FULL_HOST, type Reading } from './resources.ts';
import { fullestIn, levelIn, staysFrom, timeOf, usualIn, type Window } from './windows.ts';

/** A reading with its figures. */
export interface Held {
  reading: Reading;
  /** null: its series has no samples, or there is no baseline to compare with. */
  holds: boolean | null;
  unit: string;
  /** Of the signal. */
  source?: string;
  /** In the baseline. */
  from: number | null;
  /** In the phase, since it broke. */
  to: number | null;
  threshold: number | null;
  /** Unix time from which on it stayed beyond. */
  atS: number | null;
}

export type Look = Pick<Case, 'breakage' | 'timeline' | 'reader' | 'nearly'>;

/** @returns those of its readings that hold; null where the cause does not */
export function heldOf({ any = [], all = [], unless = [], topConsumer }: Cause, look: Look): Held[] | null {
  // What speaks against it does so at its whole limit.
  if (unless.some((reading) => hold(reading, { ...look, nearly: 1 }).holds)) return null;
  if (topConsumer) {
    const took = consumesMost(topConsumer, look);
    if (took) return took;
  }
  const [some, each] = [any, all].map((readings) =>
    readings.map((reading) => hold(reading, look)).filter(({ holds }) => holds),
  );
  if (!some?.length || each?.length !== all.length) return null;
  return [...some, ...each.filter(({ reading }) => !reading.not)];
}

/**
 * Everything waits where a machine has no CPU left, each for all others. What limits is what takes the most of it: with that
 * gone, the most would be left.
 */
function consumesMost(topConsumer: string, look: Look): Held[] | null {
  const { breakage, reader, timeline } = look;
  const host = reader.series(FULL_HOST.series);
  const full = hold(FULL_HOST, { ...look, nearly: 1 });
  const { least = 0 } = FULL_HOST;
  // It may have been full before: then who fills it says more than that it is.
  if (full.to === null || full.to < least) return null;
  const taken = (name: string) => fullestIn(reader.series(name), breakage.broken) ?? 0;
  // Where the processes of the machine could not be watched, what is not the server's or k6's is everybody's.
  const rivals = [...Object.keys(CONSUMERS), 'cpu_of_the_rest'].filter((name) => name !== topConsumer);
  const own = taken(topConsumer);
  if (own < BOTTLENECK.minConsumed || rivals.some((name) => taken(name) >= own)) return null;
  const took = hold({ series: topConsumer, role: 'utilisation', least: 0 }, look);
  const since = staysFrom(host, breakage.whole, (value) => value >= least);
  const atS = since === null ? null : timeOf(timeline, since);
  return [
    { ...full, holds: true, atS },
    { ...took, holds: true, threshold: null, atS },
  ];
}

export function hold(
  reading: Reading,
  { breakage: { normal, broken, whole }, timeline, reader, nearly }: Look,
): Held {
  const series = reader.series(reading.series);
  const from = levelIn(series, normal);
  const to = reading.role === 'utilisation' ? fullestIn(series, broken) : levelIn(series, broken);
  const { unit = '', source } = series ?? {};
  const unknown = {
    reading,
    holds: null,
    unit,
    ...(source && { source }),
    from,
    to,
    threshold: null,
    atS: null,
  };
  const { times, least, role } = reading;
  const scaled = {
    ...reading,
    ...(times && source === 'connections' && { times: times * BOTTLENECK.inferredFactor }),
    ...(least && role === 'utilisation' && { least: least * nearly }),
  };
  const threshold = thresholdOf(scaled, from, reading.usual ? usualIn(series, normal) : null);
  if (threshold === null) return unknown;
  const falls = reading.share !== undefined || reading.fallen !== undefined;
  if (reading.not) return { ...unknown, threshold, holds: to === null || to < threshold };
  if (to === null)
    return reading.share === undefined
      ? unknown
      : { ...unknown, threshold, ...ended(series, whole, timeline) };
  const beyond = (value: number) => (falls ? value <= threshold : value >= threshold);
  const reached = !falls && from !== null && beyond(from);
  const holds = beyond(to) && (!reached || to >= BOTTLENECK.minGrowth * from);
  const point = holds ? staysFrom(series, whole, beyond) : null;
  return { ...unknown, holds, threshold, atS: point === null ? null : timeOf(timeline, point) };
}

/** What is done no more may have no samples any more. */
function ended(
  series: TimeSeries | null,
  { first, last }: Window,
  timeline: Timeline,
): Pick<Held, 'holds' | 'atS'> {
  const sample = series?.values.findLastIndex((value, point) => value !== null && point <= last) ?? -1;
  return { holds: true, atS: timeOf(timeline, Math.max(first, sample + 1)) };
}

/**
 * @param from in the baseline
 * @param kept what the baseline's moments mostly kept to, where that counts
 * @returns null: it takes a baseline, and there is none
 */
function thresholdOf(
  { least, times, more, fallen, share }: Reading,
  from: number | null,
  kept: number | null,
): number | null {
  // What had no samples before was not there: a series of waits begins with the first.
  if (from === null) return least ?? null;
  if (share !== undefined) return from > 0 ? share * from : null;
  if (fallen !== undefined) return from - fallen;
  return Math.max(
    least ?? Number.NEGATIVE_INFINITY,
    times === undefined ? Number.NEGATIVE_INFINITY : times * from,
    more === undefined ? Number.NEGATIVE_INFINITY : from + more,
    kept ?? Number.NEGATIVE_INFINITY,
  );
}
