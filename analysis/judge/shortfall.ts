/**
 * Explains why a phase delivered less load than it offered: because of the server, the generator, too few
 * VUs, or exceptions.
 */
import { counted, duration, milliseconds, number, perSecond } from '../../contract/units.js';
import type { Plan } from '../collect/plan.ts';
import { TRUST } from '../limits.ts';
import { callsOf, dueOf, type Phase } from './phases.ts';

interface Shortfall {
  of: 'server' | 'users' | 'generator' | 'exceptions';
  because: string;
  /** Recommended change; null if the server is the cause. */
  hint: string | null;
}

/**
 * By Little's law, the number of busy VUs is calls per second x mean latency, plus the VUs that open a
 * session. If all VUs are busy, either the server is slow, or there are too few VUs for a server that is not.
 * If only part of the load is missing, the VUs need to be busy for only that part of the phase: the queue
 * that an overload leaves behind keeps all VUs of the next phase busy at its beginning, but not later.
 *
 * @param phase measured phase that delivered too little load
 * @param run vusMax: maximum number of VUs, if the plan has none for this phase
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
      hint: 'find out what ended them',
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
  const text = `a mean latency of ${milliseconds(meanMs)}${opening} kept ${number(busy)} of ${counted(users, 'VU')} busy`;
  const fine = notSlow(phase, plan, phases, users);
  const missing = 1 - (phase.iterations ?? 0) / dueOf(phase, plan);
  if (!fine && busy >= Math.min(TRUST.minBusyVus, missing) * users)
    return { of: 'server', because: `the server was slow, ${text}`, hint: null };
  if (busy < TRUST.minBusyVus * users) {
    return {
      of: 'generator',
      because: `the load generator fell short, the server was not the cause: ${text}`,
      hint: 'give the generator more CPU, or offer less load (RATE_SCALE)',
    };
  }
  const enough = Math.max(
    users + 1,
    Math.ceil(((phase.offered_rps ?? 0) * TRUST.vuHeadroom * meanMs) / 1000),
  );
  return {
    of: 'users',
    because: `${counted(users, 'VU')} ${users === 1 ? 'is' : 'are'} too few`,
    hint: `set MAX_VUS to ${number(enough)} or more (${text}${fine})`,
  };
}

/**
 * @param phase phase whose VUs were all busy
 * @returns why its latency does not show a slow server, as the end of a sentence; null if it does
 */
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
    const minLimit = Math.min(...limits);
    return meanMs <= minLimit ? `, which is not slow: ${milliseconds(minLimit)} are allowed` : null;
  }
  const calm = calmPhase(phases, plan);
  const calmMs = calm?.latency_ms?.avg;
  if (calm && calmMs && calm.name !== name)
    return meanMs <= TRUST.slowFactor * calmMs
      ? `, which is not slow: it was ${milliseconds(calmMs)} in ${calm.name}`
      : null;
  return users < TRUST.minHeadroomS * (offered_rps ?? 0)
    ? `; even calls of ${milliseconds(TRUST.minHeadroomS * 1000)} need ${number(Math.ceil(TRUST.minHeadroomS * (offered_rps ?? 0)))} VUs at ${perSecond(offered_rps)}`
    : null;
}

/** @returns the first load, if it was delivered in full */
function calmPhase(phases: Phase[], plan: Pick<Plan, 'phases'>): Phase | undefined {
  const first = phases.find(({ measured, overload }) => measured && !overload);
  const full = first?.offered_rps == null || (first.iterations ?? 0) >= 0.9 * dueOf(first, plan);
  return full ? first : undefined;
}
