import type { Plan } from '../collect/plan.ts';
import { PERCENTILE_ERROR } from '../collect/sparse-histogram.ts';
import { round } from '../round.ts';
import type { Phase } from './phases.ts';

/**
 * Main figures of a phase in the canonical units of MCP benchmark suites (microseconds, messages per second),
 * with the conditions that are needed to compare them.
 */

export interface Measurement {
  /** Test, workload and phase. */
  workload_id: string;
  transport: 'streamable_http' | 'http_jsonrpc' | 'http_rest';
  duration_s: number;
  /** All clients and the service as a whole, not a single connection or instance. */
  scope: 'service';
  /** Precision of the latencies. */
  precision: string;
  /** Answered requests. */
  throughput_msg_per_s: number | null;
  latency_p50_us: number | null;
  latency_p95_us: number | null;
  latency_p99_us: number | null;
}

const TRANSPORTS = {
  jsonrpc: 'http_jsonrpc',
  rest: 'http_rest',
} as Record<string, Measurement['transport']>;

/** @returns one measurement for each measured phase */
export function measurements(
  { test, workload, target }: Pick<Plan, 'test' | 'workload' | 'target'>,
  phases: Phase[],
): Measurement[] {
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

const microseconds = (ms: number | null | undefined) => (ms == null ? null : Math.round(ms * 1000));
