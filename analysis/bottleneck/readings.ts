/** Evaluates the rules of resources.ts at the time at which the run broke. */

import type { Timeline, TimeSeries } from '../collect/timeline.ts';
import { BOTTLENECK } from '../limits.ts';
import type { Case } from './bottleneck.ts';
import { type Cause, CONSUMERS, FULL_HOST, type Reading } from './resources.ts';
import { fullestIn, levelIn, staysFrom, timeOf, usualIn, type Window } from './windows.ts';

/** A reading with its measurements. */
export interface Held {
  reading: Reading;
  /** null if its series has no samples, or if it needs a baseline and there is none. */
  holds: boolean | null;
  unit: string;
  /** The signal's source. */
  source?: string;
  /** Level in the baseline. */
  from: number | null;
  /** Level in the phase, since the onset. */
  to: number | null;
  threshold: number | null;
  /** Unix time since which the series stayed beyond the threshold. */
  atS: number | null;
}

export type Look = Pick<Case, 'breakage' | 'timeline' | 'reader' | 'nearly'>;

/** @returns the readings that hold; null if the cause does not hold */
export function heldOf({ any = [], all = [], unless = [], topConsumer }: Cause, look: Look): Held[] | null {
  // Exclusions are always checked against the full limit.
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
 * If a machine has no CPU left, every process waits for the others. The largest consumer is the limit,
 * because removing it would free the most CPU.
 */
function consumesMost(topConsumer: string, look: Look): Held[] | null {
  const { breakage, reader, timeline } = look;
  const host = reader.series(FULL_HOST.series);
  const full = hold(FULL_HOST, { ...look, nearly: 1 });
  const { least = 0 } = FULL_HOST;
  // The machine itself may have been full in the baseline as well.
  if (full.to === null || full.to < least) return null;
  const consumedBy = (name: string) => fullestIn(reader.series(name), breakage.broken) ?? 0;
  // If processes could not be monitored, `cpu_of_the_rest` stands for all other programs.
  const rivals = [...Object.keys(CONSUMERS), 'cpu_of_the_rest'].filter((name) => name !== topConsumer);
  const own = consumedBy(topConsumer);
  if (own < BOTTLENECK.minConsumed || rivals.some((name) => consumedBy(name) >= own)) return null;
  const took = hold({ series: topConsumer, role: 'utilization', least: 0 }, look);
  // A consumer that used more in the baseline did not break the run.
  if (took.from !== null && (took.to ?? 0) < took.from) return null;
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
  const to = reading.role === 'utilization' ? fullestIn(series, broken) : levelIn(series, broken);
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
    ...(least && role === 'utilization' && { least: least * nearly }),
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

/** If an activity stops, its series has no more samples. The reading then holds from the last sample on. */
function ended(
  series: TimeSeries | null,
  { first, last }: Window,
  timeline: Timeline,
): Pick<Held, 'holds' | 'atS'> {
  const sample = series?.values.findLastIndex((value, point) => value !== null && point <= last) ?? -1;
  return { holds: true, atS: timeOf(timeline, Math.max(first, sample + 1)) };
}

/**
 * @param from level in the baseline
 * @param usualLevel 90th percentile of the baseline's points, if the reading requires it
 * @returns null if the reading needs a baseline and there is none
 */
function thresholdOf(
  { least, times, more, fallen, share }: Reading,
  from: number | null,
  usualLevel: number | null,
): number | null {
  // No samples in the baseline means that there was no such event: a series of waits begins with the first
  // wait.
  if (from === null) return least ?? null;
  if (share !== undefined) return from > 0 ? share * from : null;
  if (fallen !== undefined) return from - fallen;
  return Math.max(
    least ?? Number.NEGATIVE_INFINITY,
    times === undefined ? Number.NEGATIVE_INFINITY : times * from,
    more === undefined ? Number.NEGATIVE_INFINITY : from + more,
    usualLevel ?? Number.NEGATIVE_INFINITY,
  );
}
