import { cleanDeep, secretsOf } from './clean-text.js';
import { validatePlan } from './summary.js';

/**
 * @param {any} document what `k6 inspect` says of a test, which has the plan among its options
 * @returns {import('./summary.js').Plan} without secrets
 * @throws {Error} where it has none
 */
export function planOf(document) {
  const plan = document?.ext?.['mcp-load-lab'];
  const problem = validatePlan(plan);
  if (problem) throw new Error(`there is no plan of a test: ${problem}`);
  return cleanDeep(plan, secretsOf(process.env));
}
