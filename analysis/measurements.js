import { round } from './round.js';
import { PERCENTILE_ERROR } from './sparse-histogram.ts';

/**
 * A phase's main figures in the canonical units of MCP benchmark suites, with what must be known to compare them:
 * microseconds and messages a second, never another unit for the same thing.
 *
 * @typedef {object} Measurement
 * @property {string} workload_id test, workload and phase
 * @property {'streamable_http' | 'http_jsonrpc' | 'http_rest'} transport
 * @property {number} duration_s
 * @property {'service'} scope all clients and the whole service together: neither a connection's nor an instance's
 * @property {string} precision of the latencies
 * @property {number | null} throughput_msg_per_s requests that were answered
 * @property {number | null} latency_p50_us
 * @property {number | null} latency_p95_us
 * @property {number | null} latency_p99_us
 */

const TRANSPORTS = /** @type {Record<string, Measurement['transport']>} */ ({
  jsonrpc: 'http_jsonrpc',
  rest: 'http_rest',
});

/**
 * @param {Pick<import('./summary.js').Plan, 'test' | 'workload' | 'target'>} plan
 * @param {import('./phases.js').Phase[]} phases
 * @returns {Measurement[]} one a phase that was measured
 */
export function measurements({ test, workload, target }, phases) {
  return phases
    .filter(({ measured, start }) => measured && start !== null)
    .map(({ name, duration_s, answered, latency_ms }) => ({
      workload_id: `${test}/${workload}/${name}`,
      transport: TRANSPORTS[target.dialect ?? ''] ?? 'streamable_http',
      duration_s,
      scope: 'service',
      precision: `within ${round(PERCENTILE_ERROR * 100, 2)} %`,
      throughput_msg_per_s: answered === null || duration_s === 0 ? null : round(answered / duration_s),
      latency_p50_us: microseconds(latency_ms?.p50),
      latency_p95_us: microseconds(latency_ms?.p95),
      latency_p99_us: microseconds(latency_ms?.p99),
    }));
}

/** @param {number | null | undefined} ms */
const microseconds = (ms) => (ms == null ? null : Math.round(ms * 1000));
