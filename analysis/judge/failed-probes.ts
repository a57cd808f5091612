/**
 * Operations that discovery called before the load and left out because the server failed. A pass does not
 * cover them.
 */
import { counted } from '../../contract/units.js';
import type { Plan } from '../collect/plan.ts';

export interface FailedProbe {
  operation: string;
  /** For example HTTP 500. */
  failed: string;
  /** The server's error message. */
  reason: string;
}

/** Maximum number of operations that a sentence names. */
const MAX_NAMED = 3;

/** @returns the operations, without those that a person added to the workload file */
export function failedProbes({
  left_out = [],
  operations,
}: Pick<Plan, 'left_out' | 'operations'>): FailedProbe[] {
  const called = new Set(operations.map(({ operation }) => operation));
  return left_out.flatMap(({ operation, reason, failed }) =>
    failed && !called.has(operation) ? [{ operation, failed, reason }] : [],
  );
}

/**
 * @param maxLength maximum length of the text; fewer operations are named if it is exceeded
 * @returns '' if there are none
 */
export function failedProbesText(
  probes: FailedProbe[],
  maxLength: number = Number.POSITIVE_INFINITY,
): string {
  if (probes.length === 0) return '';
  const were = probes.length === 1 ? 'was' : 'were';
  const begin = `${counted(probes.length, 'operation')} failed in discovery and ${were} left out`;
  for (let count = Math.min(MAX_NAMED, probes.length); count > 0; count--) {
    const names = probes.slice(0, count).map(({ operation, failed }) => `${operation} (${failed})`);
    const rest = probes.length - count;
    const text = `${begin}: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
    if (text.length <= maxLength) return text;
  }
  return begin;
}
