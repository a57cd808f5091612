/**
 * Why a phase made less load than it offered: the server's doing or the generator's.
 */
import { counted, milliseconds, number } from './units.js';

/** So much of the users' time spent waiting for answers leaves too few of them free: the server was slow. */
const BUSY_SHARE = 0.5;
/** A user that waits for an answer that never comes is kept for the whole timeout, which no latency shows. */
const UNANSWERED_SHARE = 0.01;

/**
 * @param {import('./phases.js').Phase} phase a measured one that delivered less than it should
 * @param {import('./summary.js').PlannedPhase} planned
 * @param {number} vusMax users that k6 had at most, where the plan does not say how many this phase had
 * @returns {{of: 'server' | 'generator', because: string}} by Little's law: busy users = requests/s x mean latency
 */
export function shortfallCause(phase, planned, vusMax) {
  const users = planned.max_vus ?? planned.vus ?? vusMax;
  const meanMs = phase.latency_ms?.avg ?? 0;
  const busy = ((phase.answered ?? 0) / phase.duration_s) * (meanMs / 1000);
  const unanswered = (phase.failures?.timeout ?? 0) + (phase.failures?.connect ?? 0);
  if (unanswered >= UNANSWERED_SHARE * (phase.requests ?? 0) && unanswered > 0) {
    return { of: 'server', because: `${counted(unanswered, 'request')} got no answer` };
  }
  const text = `a mean latency of ${milliseconds(meanMs)} kept ${number(busy)} of ${counted(users, 'user')} busy`;
  if (busy >= BUSY_SHARE * users) return { of: 'server', because: `the server was slow, ${text}` };
  return {
    of: 'generator',
    because: `the server gave no reason for it, ${text}: the load generator fell short`,
  };
}
