import { round } from './round.js';

/**
 * @typedef {object} Failure all failures of one kind in the measured phases
 * @property {string} kind
 * @property {number} count
 * @property {string | null} first ISO time
 * @property {string | null} last
 * @property {number | null} first_s seconds into the run
 * @property {number | null} last_s
 * @property {string | null} first_phase
 * @property {string | null} sample one of them in words, from k6's log
 */

/**
 * @param {import('./summary.js').Summary} summary
 * @param {import('./phases.js').Phase[]} phases
 * @param {Record<string, string>} samples by kind
 * @returns {Failure[]} most frequent kind first
 */
export function failures({ plan, startedMs, metrics }, phases, samples) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const phase of phases) {
    for (const [kind, count] of Object.entries(phase.failures ?? {}))
      counts[kind] = (counts[kind] ?? 0) + count;
  }
  return Object.entries(counts)
    .map(([kind, count]) => {
      const { min, max } = metrics.gauge('mcp_failure_seconds', { kind });
      const timed = startedMs !== null && max > 0;
      return {
        kind,
        count,
        first: timed ? new Date(startedMs + min * 1000).toISOString() : null,
        last: timed ? new Date(startedMs + max * 1000).toISOString() : null,
        first_s: timed ? round(min) : null,
        last_s: timed ? round(max) : null,
        first_phase: timed ? firstPhase(kind, min, plan, phases) : null,
        sample: samples[kind] ?? null,
      };
    })
    .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
}

/**
 * @param {string} kind
 * @param {number} seconds into the run
 * @param {import('./summary.js').Plan} plan
 * @param {import('./phases.js').Phase[]} phases
 * @returns {string | null} the phase that had begun and has such failures: a request that is answered after its
 *   phase's end still belongs to it
 */
function firstPhase(kind, seconds, plan, phases) {
  const current = phases.findLast(
    (phase, index) => (plan.phases[index]?.start_s ?? 0) <= seconds && phase.failures?.[kind],
  );
  return current?.name ?? null;
}
