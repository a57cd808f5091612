import { cleanDeep, secretsOf } from './clean-text.ts';
import { type Plan, validatePlan } from './summary.ts';

interface Inspected {
  ext?: Record<string, unknown>;
}

/**
 * @param document what `k6 inspect` says of a test, which has the plan among its options
 * @returns without secrets
 * @throws {Error} where it has none
 */
export function planOf(document: unknown): Plan {
  const plan = (document as Inspected | null)?.ext?.['mcp-load-lab'];
  const problem = validatePlan(plan);
  if (problem) throw new Error(`there is no plan of a test: ${problem}`);
  return cleanDeep(plan as Plan, secretsOf(process.env));
}
