/** Whether a server refuses sessions that it has just opened: behind one address are several, each with sessions of its own. */
import { counterOf, failuresOf, type Group, inScope, latenciesOf, total } from '../../collect/groups.ts';

/** What a session is used for first, and how a server refuses one that it does not know. */
const OPENING = 'initialize';
const FIRST_USE = 'notifications/initialized';
export const REFUSED_KIND = 'http_4xx';
const MIN_SESSIONS = 10;
/** Two replicas refuse half of both. A server whose sessions end by time refuses none at their first use. */
const MIN_REFUSED = 0.2;
const MAX_AT_DOOR = 0.02;

export interface UnknownSessions {
  opened: number;
  /** At their first use, right after they were opened. */
  refused: number;
  /** Of the calls, repeated ones included, those that were refused: whatever the number of sessions. */
  share: number;
}

/** @param groups of the measured phases @returns null: sessions are known */
export function unknownSessions(groups: readonly Group[]): UnknownSessions | null {
  const first = inScope(groups, { operation: FIRST_USE });
  const opened = total(first, 'requests');
  const refused = failuresOf(first)[REFUSED_KIND] ?? 0;
  const repeated = counterOf(groups, 'mcp_sessions_expired');
  const calls = groups.filter(({ operation }) => operation !== FIRST_USE && operation !== OPENING);
  const lost = failuresOf(calls)[REFUSED_KIND] ?? 0;
  const share = (repeated + lost) / Math.max(1, latenciesOf(calls).all.count + repeated);
  if (opened < MIN_SESSIONS || refused < MIN_REFUSED * opened || share < MIN_REFUSED) return null;
  // What refuses clients refuses them at the door, too; and a call in a session that was lost is made again.
  const opening = inScope(groups, { operation: OPENING });
  const refusedAtDoor = failuresOf(opening)[REFUSED_KIND] ?? 0;
  if (refusedAtDoor > MAX_AT_DOOR * total(opening, 'requests') || repeated < lost) return null;
  return { opened, refused, share };
}

/** @returns how many servers take turns, if each session is known to one of them */
export const replicasOf = ({ share }: UnknownSessions): number => Math.max(2, Math.round(1 / (1 - share)));
