import { failureRateOf, failuresOf, inScope, latenciesOf, total } from '../collect/groups.ts';
import type { PlannedPhase } from '../collect/plan.ts';
import type { Latency } from '../collect/sparse-histogram.ts';
import type { Summary } from '../collect/summary.ts';
import { round } from '../round.ts';
import { type Phase, roundLatency } from './phases.ts';

/** Totals over all measured phases, including overload phases. */
export interface Operation {
  operation: string;
  method: string;
  class: string;
  requests: number;
  failed: number;
  /** Calls that were answered, successfully or not. */
  answered: number;
  /** Requests per second in the phases that call the operation. */
  rps: number | null;
  failure_rate: number | null;
  latency_ms: Latency | null;
  /** Total; null if k6 only measures it by phase. */
  request_bytes: number | null;
  response_bytes: number | null;
  /** By kind. */
  failures: Record<string, number>;
}

export function operations({ plan, groups }: Summary, phases: Phase[]): Operation[] {
  // In a sequence, k6 attributes them to the last operation. The client's own metrics do not have them by
  // operation.
  const hasBytes =
    !plan.sequence &&
    plan.operations.some(({ operation }) => total(inScope(groups, { operation }), 'bytesSent') > 0);
  return plan.operations.map(({ operation, method, class: kind }, turn) => {
    const own = inScope(groups, { operation });
    const requests = total(own, 'requests');
    const failed = total(own, 'failed');
    const { answered, latency } = latenciesOf(own);
    const seconds = phases
      .filter((phase, index) => phase.measured && calls(plan.phases[index], operation, turn))
      .reduce((sum, phase) => sum + phase.duration_s, 0);
    return {
      operation,
      method,
      class: kind,
      requests,
      failed,
      answered,
      rps: seconds > 0 ? round(requests / seconds) : null,
      failure_rate: failureRateOf(own),
      latency_ms: latency && roundLatency(latency),
      request_bytes: hasBytes ? total(own, 'bytesSent') : null,
      response_bytes: hasBytes ? total(own, 'bytesReceived') : null,
      failures: failuresOf(own),
    };
  });
}

/** @param turn index of the operation in the plan */
function calls(phase: PlannedPhase | undefined, operation: string, turn: number): boolean {
  if (phase?.operation) return phase.operation === operation;
  return phase?.weights?.[turn] !== 0;
}
