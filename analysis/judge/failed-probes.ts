/** What discovery tried before the load and left out because the server failed: a pass says nothing about it. */
import { counted } from '../../contract/units.js';
import type { Plan } from '../collect/plan.ts';

export interface FailedProbe {
  operation: string;
  /** For example HTTP 500. */
  failed: string;
  /** What the server said. */
  reason: string;
}

/** Operations that a sentence names. */
const MAX_NAMED = 3;

/** @returns without what a person added to the workload file */
export function failedProbes({
  left_out = [],
  operations,
}: Pick<Plan, 'left_out' | 'operations'>): FailedProbe[] {
  const called = new Set(operations.map(({ operation }) => operation));
  return left_out.flatMap(({ operation, reason, failed }) =>
    failed && !called.has(operation) ? [{ operation, failed, reason }] : [],
  );
}

/** @param maxLength fewer names are shown if it is longer @returns '' without any */
export function failedProbesText(
  probes: FailedProbe[],
  maxLength: number = Number.POSITIVE_INFINITY,
): string {
  if (probes.length === 0) return '';
  const [were, they] = probes.length === 1 ? ['was', 'it'] : ['were', 'they'];
  const begin = `${counted(probes.length, 'operation')} ${were} left out, ${they} failed`;
  for (let most = Math.min(MAX_NAMED, probes.length); most > 0; most--) {
    const names = probes.slice(0, most).map(({ operation, failed }) => `${operation} (${failed})`);
    const rest = probes.length - most;
    const text = `${begin}: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
    if (text.length <= maxLength) return text;
  }
  return begin;
}
