/**
 * Which requests count as slow, and for which limit. A run that keeps no samples has no exact percentiles, but counts
 * of the requests that took an objective's limit or longer judge the objective exactly: p99 < L holds when at most
 * 1 % of the answered requests took L or longer.
 */

/**
 * @typedef {object} Counting what users count beside k6's own percentiles
 * @property {boolean} streamed k6 keeps no samples
 * @property {ReturnType<typeof latencyLimits>} limits
 */

/**
 * @param {import('./objectives.js').Objective[]} objectives
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {import('./workload.js').Operation[]} operations
 * @returns {Record<string, Record<string, number[]>>} milliseconds, by phase and operation, ascending
 */
export function latencyLimits(objectives, phases, operations) {
  const limits = objectives.filter(({ k6 }) => k6?.metric.startsWith('mcp_request_duration'));
  /** @param {Record<string, string>} tags */
  const of = (tags) => {
    const fitting = limits.filter(({ scope }) =>
      Object.entries(scope).every(([tag, value]) => tags[tag] === value),
    );
    return [...new Set(fitting.map(({ limit }) => limit))].sort((a, b) => a - b);
  };
  return Object.fromEntries(
    phases
      .filter(({ measured }) => measured)
      .map(({ name: phase }) => [
        phase,
        Object.fromEntries(
          operations.map(({ operation, class: kind }) => [operation, of({ phase, operation, class: kind })]),
        ),
      ]),
  );
}
