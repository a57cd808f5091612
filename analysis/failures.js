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
 * @param {import('./summary.js').Summary[]} runs one, or each leg's, in their order
 * @param {import('./phases.js').Phase[]} phases of all of them
 * @param {Record<string, string>} samples by kind
 * @returns {Failure[]} most frequent kind first
 */
export function failures(runs, phases, samples) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const phase of phases) {
    for (const [kind, count] of Object.entries(phase.failures ?? {}))
      counts[kind] = (counts[kind] ?? 0) + count;
  }
  const zeroMs = runs.find(({ startedMs }) => startedMs !== null)?.startedMs ?? 0;
  return Object.entries(counts)
    .map(([kind, count]) => {
      const seen = runs.flatMap((run) => timesOf(run, kind));
      const [firstMs, lastMs] = [Math.min(...seen), Math.max(...seen)];
      const timed = seen.length > 0;
      return {
        kind,
        count,
        first: timed ? new Date(firstMs).toISOString() : null,
        last: timed ? new Date(lastMs).toISOString() : null,
        first_s: timed ? round((firstMs - zeroMs) / 1000) : null,
        last_s: timed ? round((lastMs - zeroMs) / 1000) : null,
        first_phase: timed ? firstPhase(kind, firstMs, phases) : null,
        sample: samples[kind] ?? null,
      };
    })
    .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
}

/**
 * @param {import('./summary.js').Summary} run
 * @param {string} kind
 * @returns {number[]} Unix milliseconds of its first and last; [] where it had none
 */
function timesOf({ startedMs, metrics }, kind) {
  const { min, max } = metrics.gauge('mcp_failure_seconds', { kind });
  return startedMs !== null && max > 0 ? [startedMs + min * 1000, startedMs + max * 1000] : [];
}

/**
 * @param {string} kind
 * @param {number} ms Unix time
 * @param {import('./phases.js').Phase[]} phases
 * @returns {string | null} the phase that had begun and has such failures: a request that is answered after its
 *   phase's end still belongs to it
 */
function firstPhase(kind, ms, phases) {
  const begun = phases.findLast(
    ({ start, failures: its }) => start !== null && Date.parse(start) <= ms && its?.[kind],
  );
  return begun?.name ?? null;
}
