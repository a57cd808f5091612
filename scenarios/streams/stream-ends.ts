/** Why streams were not held to their end: refused, never begun, or cut; and the time that those which were cut have in common. */
import type { StreamEnd } from '../../analysis/collect/streams.ts';
import { type CommonTime, commonTime } from '../../analysis/findings/common-time.ts';
import { STREAMS } from '../../analysis/limits.ts';

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
export interface Lifetime extends CommonTime {
  /** Of silence, or of age where bytes had come in between. */
  kind: 'silence' | 'age';
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
  const silence = commonTime(
    ends.map(({ silentMs }) => silentMs),
    STREAMS.minEnded,
  );
  const age = commonTime(
    ends.map(({ ageMs }) => ageMs),
    STREAMS.minEnded,
  );
  // Comments that come in a steady rhythm are followed by the same silence each time, which ended no stream before.
  const isUnsure = silence !== null && age !== null && silence.ms[1] >= (1 - STREAMS.maxSpread) * age.ms[1];
  const isWithheld = ends !== wereOpen && wereOpen.length === 0;
  if (age && !isUnsure) return { kind: 'age', ...age, isUnsure, isWithheld };
  return silence && { kind: 'silence', ...silence, isUnsure, isWithheld };
}
