/**
 * Checks whether a server refuses sessions that it has just opened: there are several replicas behind one
 * address, and each knows only its own sessions.
 */

import { counterOf, failuresOf, type Group, inScope, latenciesOf, total } from '../../collect/groups.ts';
import type { Phase } from '../../judge/phases.ts';
import { FAILURES } from '../../limits.ts';

/** The first requests of a session, and the failure if the server does not know it. */
const OPENING = 'initialize';
const FIRST_USE = 'notifications/initialized';
export const REFUSED_KIND = 'http_4xx';

export interface UnknownSessions {
  opened: number;
  /** Sessions that were refused at their first use, right after they were opened. */
  refused: number;
  /** Share of the calls, including retries, that were refused; independent of the number of sessions. */
  share: number;
}

export const inMeasured = ({
  groups,
  phases,
}: {
  groups: readonly Group[];
  phases: readonly Phase[];
}): Group[] =>
  phases.filter((phase) => phase.measured).flatMap(({ name }) => inScope(groups, { phase: name }));

/** @param groups groups of the measured phases @returns null if the server knows its sessions */
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
  // If the server refused the clients themselves, it would refuse to open sessions as well. Calls in a lost
  // session are retried.
  const opening = inScope(groups, { operation: OPENING });
  const refusedAtDoor = failuresOf(opening)[REFUSED_KIND] ?? 0;
  if (refusedAtDoor > FAILURES.maxRefusedAtOpening * total(opening, 'requests') || repeated < lost)
    return null;
  return { opened, refused, share };
}

/** @returns the number of replicas, if each session is known to one of them */
export const replicasOf = ({ share }: UnknownSessions): number => Math.max(2, Math.round(1 / (1 - share)));
