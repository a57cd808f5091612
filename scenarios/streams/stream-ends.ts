/** Why streams were not held to their end: refused, never begun, or cut; and the time that those which were cut have in common. */
import type { StreamEnd } from '../../analysis/collect/streams.ts';
import { STREAMS } from '../../analysis/limits.ts';
import { percentile } from '../../analysis/statistics/percentile.ts';

export interface StreamEnds {
  /** An answer that is no stream, or no session to ask for one in. */
  refused: StreamEnd[];
  /** Neither an answer nor an event that opens the stream. */
  silent: StreamEnd[];
  /** Ended by the server as soon as it had begun. */
  declined: StreamEnd[];
  /** Ended by the server, or by something between. */
  cut: StreamEnd[];
}

/** A time after which streams ended: a limit of the server, or of something between. */
export interface Lifetime {
  /** Of silence, or of age where bytes had come in between. */
  kind: 'silence' | 'age';
  /** Milliseconds: 10th percentile, median and 90th percentile. */
  ms: [number, number, number];
  streams: number;
  /** Nothing ever came on them: it may be either kind. */
  isUnsure: boolean;
  /** The client never saw them begin. */
  isWithheld: boolean;
}

export function sortEnds(ends: readonly StreamEnd[]): StreamEnds {
  const kindOf = ({ openedMs, ageMs, status, kind = '' }: StreamEnd): keyof StreamEnds => {
    if (openedMs !== undefined) return ageMs - openedMs < STREAMS.minCutMs ? 'declined' : 'cut';
    if (!UNANSWERED.includes(kind) || (status !== 0 && status !== 200)) return 'refused';
    return kind === 'connect' && ageMs >= STREAMS.minCutMs ? 'cut' : 'silent';
  };
  const of = Map.groupBy(ends, kindOf);
  const get = (kind: keyof StreamEnds) => of.get(kind) ?? [];
  return { refused: get('refused'), silent: get('silent'), declined: get('declined'), cut: get('cut') };
}

const UNANSWERED = ['timeout', 'stalled', 'connect'];

/** @param cut streams that were @returns null: they have no time in common, or are too few */
export function lifetimeOf(cut: readonly StreamEnd[]): Lifetime | null {
  const wereOpen = cut.filter(({ openedMs }) => openedMs !== undefined);
  const ends = wereOpen.length >= STREAMS.minEnded ? wereOpen : cut;
  const silence = alike(ends.map(({ silentMs }) => silentMs));
  const age = alike(ends.map(({ ageMs }) => ageMs));
  // Comments that come in a steady rhythm are followed by the same silence each time, which ended no stream before.
  const isUnsure = silence !== null && age !== null && silence.ms[1] >= (1 - STREAMS.maxSpread) * age.ms[1];
  const isWithheld = ends !== wereOpen && wereOpen.length === 0;
  if (age && !isUnsure) return { kind: 'age', ...age, isUnsure, isWithheld };
  return silence && { kind: 'silence', ...silence, isUnsure, isWithheld };
}

/** @returns null: the times are not alike */
function alike(times: number[]): Pick<Lifetime, 'ms' | 'streams'> | null {
  if (times.length < STREAMS.minEnded) return null;
  const sorted = times.toSorted((a, b) => a - b);
  const median = percentile(sorted, 0.5);
  const spread = Math.max(STREAMS.maxSpreadMs, STREAMS.maxSpread * median);
  const near = sorted.filter((time) => Math.abs(time - median) <= spread / 2);
  if (median < STREAMS.minCutMs || near.length < STREAMS.minAlike * times.length) return null;
  return { ms: [percentile(near, 0.1), median, percentile(near, 0.9)], streams: near.length };
}
