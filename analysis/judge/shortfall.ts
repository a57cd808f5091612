/** Why a phase made less load than it offered: the server's doing, the generator's, that of too few users, or of exceptions. */
import { counted, duration, milliseconds, number } from '../../contract/units.js';
import type { Plan } from '../collect/plan.ts';
import { TRUST } from '../limits.ts';
import { callsOf, dueOf, type Phase } from './phases.ts';

interface Shortfall {
  of: 'server' | 'users' | 'generator' | 'exceptions';
  because: string;
  /** What to change; null: it is the server. */
  hint: string | null;
}

/**
 * By Little's law: busy users = calls/s x mean latency, and those who open a session. Users who are all busy are the server's doing where it is slow, and
 * too few where it answers as it should. Load that is missing for a part of a phase takes users who are all busy for that part
 * alone: what an overload leaves in the queue keeps all of the next phase's at its beginning, and none later.
 *
 * @param phase a measured one that delivered less than it should
 * @param run vusMax: users that k6 had at most, where the plan does not say how many this phase had
 */
export function shortfallCause(
  phase: Phase,
  { plan, phases, vusMax }: { plan: Pick<Plan, 'phases' | 'objectives'>; phases: Phase[]; vusMax: number },
): Shortfall {
  const planned = plan.phases.find(({ name }) => name === phase.name);
  const { iterations, lost = null } = phase;
  if (lost && (iterations ?? 0) + lost >= TRUST.minDelivered * dueOf(phase, plan)) {
    return {
      of: 'exceptions',
      because: `${counted(lost, 'iteration')} ended without a request`,
      hint: 'see what ended them',
    };
  }
  const users = planned?.max_vus ?? planned?.vus ?? vusMax;
  const meanMs = phase.latency_ms?.avg ?? 0;
  const { handshakes_s: handshakesS = 0 } = phase;
  const busy = ((callsOf(phase) * meanMs) / 1000 + handshakesS) / phase.duration_s;
  const unanswered = (phase.failures?.timeout ?? 0) + (phase.failures?.connect ?? 0);
  if (unanswered >= TRUST.minUnanswered * (phase.requests ?? 0) && unanswered > 0) {
    return { of: 'server', because: `${counted(unanswered, 'request')} got no answer`, hint: null };
  }
  const opening =
    handshakesS > phase.duration_s ? `, and ${duration(handshakesS)} for opening sessions,` : '';
  const text = `a mean latency of ${milliseconds(meanMs)}${opening} kept ${number(busy)} of ${counted(users, 'user')} busy`;
  const fine = notSlow(phase, plan, phases, users);
  const missing = 1 - (phase.iterations ?? 0) / dueOf(phase, plan);
  if (!fine && busy >= Math.min(TRUST.minBusyVus, missing) * users)
    return { of: 'server', because: `the server was slow, ${text}`, hint: null };
  if (busy < TRUST.minBusyVus * users) {
    return {
      of: 'generator',
      because: `the server gave no reason for it, ${text}: the load generator fell short`,
      hint: 'give the generator more CPU, or offer less (RATE_SCALE)',
    };
  }
  const enough = Math.max(users + 1, Math.ceil((phase.offered_rps ?? 0) * TRUST.usualHeadroomS));
  return {
    of: 'users',
    because: `there were too few users, for the server was not slow: ${text}, ${fine}`,
    hint: `give the phase more users, up to ${number(enough)} (MAX_VUS, or the number in the test)`,
  };
}

/** @param phase whose users were all busy @returns why its latency is no sign of a slow server; null: it is one */
function notSlow(
  { name, latency_ms, offered_rps }: Phase,
  plan: Pick<Plan, 'objectives' | 'phases'>,
  phases: Phase[],
  users: number,
): string | null {
  const meanMs = latency_ms?.avg ?? 0;
  const limits = plan.objectives.flatMap(({ scope, metric, limit, relative_to }) =>
    scope.phase === name && /^(p\d+|avg)_ms$/.test(metric) && !relative_to ? [limit] : [],
  );
  if (limits.length > 0) {
    const least = Math.min(...limits);
    return meanMs <= least ? `where ${milliseconds(least)} are allowed` : null;
  }
  const calm = calmPhase(phases, plan);
  const calmMs = calm?.latency_ms?.avg;
  if (calm && calmMs && calm.name !== name)
    return meanMs <= TRUST.slowFactor * calmMs ? `after ${milliseconds(calmMs)} in ${calm.name}` : null;
  return users < TRUST.minHeadroomS * (offered_rps ?? 0)
    ? `where so few can't make ${number(offered_rps)} calls a second of ${milliseconds(TRUST.minHeadroomS * 1000)} each`
    : null;
}

/** @returns the first load, where it was made in full */
function calmPhase(phases: Phase[], plan: Pick<Plan, 'phases'>): Phase | undefined {
  const first = phases.find(({ measured, overload }) => measured && !overload);
  const full = first?.offered_rps == null || (first.iterations ?? 0) >= 0.9 * dueOf(first, plan);
  return full ? first : undefined;
}
