/**
 * Classifies streams that were not held to their end as refused, never begun, or cut. Finds the common
 * lifetime of cut streams.
 */
import type { StreamEnd } from '../../analysis/collect/streams.ts';
import { type CommonTime, commonTime } from '../../analysis/findings/common-time.ts';
import { STREAMS } from '../../analysis/limits.ts';

export interface StreamEnds {
  /** The answer is not a stream, or there is no session to open one in. */
  refused: StreamEnd[];
  /** Neither an answer nor an event that opens the stream arrived. */
  silent: StreamEnd[];
  /** Ended by the server immediately after it began. */
  declined: StreamEnd[];
  /** Ended by the server or by an intermediary. */
  cut: StreamEnd[];
}

/** A time after which streams ended: a limit of the server or of an intermediary. */
export interface Lifetime extends CommonTime {
  /** Time since the last bytes, or since the start if bytes had arrived in between. */
  kind: 'silence' | 'age';
  /** No bytes ever arrived, so the limit may apply to the silence or to the whole lifetime. */
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

/** @param cut the cut streams @returns null if they have no common time or are too few */
export function lifetimeOf(cut: readonly StreamEnd[]): Lifetime | null {
  const wereOpen = cut.filter(({ openedMs }) => openedMs !== undefined);
  const ends = wereOpen.length >= STREAMS.minEnded ? wereOpen : cut;
  const silence = commonTime(
    ends.map(({ silentMs }) => silentMs),
    STREAMS.minEnded,
  );
  const age = commonTime(
    ends.map(({ ageMs }) => ageMs),
    STREAMS.minEnded,
  );
  // Periodic comments are always followed by the same silence, which did not end the stream before.
  const isUnsure = silence !== null && age !== null && silence.ms[1] >= (1 - STREAMS.maxSpread) * age.ms[1];
  const isWithheld = ends !== wereOpen && wereOpen.length === 0;
  if (age && !isUnsure) return { kind: 'age', ...age, isUnsure, isWithheld };
  return silence && { kind: 'silence', ...silence, isUnsure, isWithheld };
}
