/** Which calls count as slow, and for which limit: what objectives for a percentile are judged by (see objectives.js). */

/**
 * @param {import('./objectives.js').Objective[]} objectives
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {import('./workload.js').Operation[]} operations
 * @returns {Record<string, Record<string, number[]>>} milliseconds, by phase and operation, ascending
 */
export function latencyLimits(objectives, phases, operations) {
  const limits = objectives.filter(({ k6 }) => k6?.metric.startsWith('mcp_slow'));
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
