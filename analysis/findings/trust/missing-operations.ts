import { counted } from '../../../contract/units.js';
import { TRUST } from '../../limits.ts';
import type { Known } from '../known.ts';
import type { Doubt } from './doubt.ts';

export function missingOperations({ plan, phases, operations }: Known): Doubt[] {
  const made = phases.reduce((sum, { iterations }) => sum + (iterations ?? 0), 0);
  return plan.operations.flatMap(({ operation, share = 0 }) => {
    const expected = made * share;
    const { requests = null } = operations.find((one) => one.operation === operation) ?? {};
    if (plan.sequence || requests !== 0 || expected < TRUST.minMissingCalls) return [];
    return [
      {
        invalid: 'load' as const,
        kind: 'note' as const,
        subject: 'samples',
        phase: null,
        statement: `${operation} was never called, although about ${counted(Math.round(expected), 'call')} were planned`,
        hint: 'the load did not match the plan: see k6.log',
      },
    ];
  });
}
