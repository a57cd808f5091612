/** Whether a server refuses sessions that it has just opened: behind one address are several, each with sessions of its own. */

import { counterOf, failuresOf, type Group, inScope, latenciesOf, total } from '../../collect/groups.ts';
import type { Phase } from '../../judge/phases.ts';
import { FAILURES } from '../../limits.ts';

/** What a session is used for first, and how a server refuses one that it does not know. */
const OPENING = 'initialize';
const FIRST_USE = 'notifications/initialized';
export const REFUSED_KIND = 'http_4xx';

export interface UnknownSessions {
  opened: number;
  /** At their first use, right after they were opened. */
  refused: number;
  /** Of the calls, repeated ones included, those that were refused: whatever the number of sessions. */
  share: number;
}

/** @returns the groups of measured phases */
export const inMeasured = ({
  groups,
  phases,
}: {
  groups: readonly Group[];
  phases: readonly Phase[];
}): Group[] =>
  phases.filter((phase) => phase.measured).flatMap(({ name }) => inScope(groups, { phase: name }));

/** @param groups of the measured phases @returns null: sessions are known */
export function unknownSessions(groups: readonly Group[]): UnknownSessions | null {
  const first = inScope(groups, { operation: FIRST_USE });
  const opened = total(first, 'requests');
  const refused = failuresOf(first)[REFUSED_KIND] ?? 0;
  const repeated = counterOf(groups, 'mcp_sessions_expired');
  const calls = groups.filter(({ operation }) => operation !== FIRST_USE && operation !== OPENING);
  const lost = failuresOf(calls)[REFUSED_KIND] ?? 0;
  const share = (repeated + lost) / Math.max(1, latenciesOf(calls).all.count + repeated);
  if (opened < FAILURES.minSessions || refused < FAILURES.minRefused * opened || share < FAILURES.minRefused)
    return null;
  // What refuses clients refuses them at the door, too; and a call in a session that was lost is made again.
  const opening = inScope(groups, { operation: OPENING });
  const refusedAtDoor = failuresOf(opening)[REFUSED_KIND] ?? 0;
  if (refusedAtDoor > FAILURES.maxRefusedAtOpening * total(opening, 'requests') || repeated < lost)
    return null;
  return { opened, refused, share };
}

/** @returns how many servers take turns, if each session is known to one of them */
export const replicasOf = ({ share }: UnknownSessions): number => Math.max(2, Math.round(1 / (1 - share)));
