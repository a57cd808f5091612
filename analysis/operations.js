import { roundLatency } from './phases.js';
import { round } from './round.js';

/**
 * @typedef {object} Operation over all measured phases, an overload phase included
 * @property {string} operation
 * @property {string} method
 * @property {string} class
 * @property {number} requests
 * @property {number} failed
 * @property {number} answered calls that were answered, well or not
 * @property {number | null} rps requests a second of the phases that call it
 * @property {number | null} error_rate
 * @property {import('./summary.js').Latency | null} latency_ms
 * @property {number | null} request_bytes all together; null: k6 has them by phase alone
 * @property {number | null} response_bytes
 * @property {Record<string, number>} failures by kind
 */

/**
 * @param {import('./summary.js').Summary} summary
 * @param {import('./phases.js').Phase[]} phases
 * @returns {Operation[]}
 */
export function operations({ plan, metrics }, phases) {
  // Of a sequence k6 has them for its last operation, and what the client measures has none by operation.
  const hasBytes =
    !plan.sequence && plan.operations.some(({ operation }) => metrics.count('data_sent', { operation }) > 0);
  return plan.operations.map(({ operation, method, class: kind }, turn) => {
    const tags = { operation };
    const requests = metrics.count('mcp_requests', tags);
    const { failed, total } = metrics.failed(tags);
    const { count, latency } = metrics.latency(tags);
    const seconds = phases
      .filter((phase, index) => phase.measured && calls(plan.phases[index], operation, turn))
      .reduce((sum, phase) => sum + phase.duration_s, 0);
    return {
      operation,
      method,
      class: kind,
      requests,
      failed,
      answered: metrics.latencies?.(tags).answered ?? count,
      rps: seconds > 0 ? round(requests / seconds) : null,
      error_rate: total > 0 ? round(failed / total, 6) : null,
      latency_ms: latency && roundLatency(latency),
      request_bytes: hasBytes ? metrics.count('data_sent', tags) : null,
      response_bytes: hasBytes ? metrics.count('data_received', tags) : null,
      failures: metrics.failures(tags),
    };
  });
}

/**
 * @param {import('./summary.js').PlannedPhase | undefined} phase
 * @param {string} operation
 * @param {number} turn its place among the plan's operations
 * @returns {boolean}
 */
function calls(phase, operation, turn) {
  if (phase?.operation) return phase.operation === operation;
  return phase?.weights?.[turn] !== 0;
}
