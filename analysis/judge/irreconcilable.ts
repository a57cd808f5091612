import { OBJECTIVES } from '../limits.ts';
import { binomialTail } from '../statistics/binomial.ts';

/**
 * Tests whether the samples contradict an objective that allows a share of slow or failed calls. Works with
 * few calls as well: 3 failures out of 3 contradict an allowed share of 1 %.
 *
 * @param over number of calls that count against the objective
 * @param samples number of all calls
 * @param allowed share that the objective allows, 0 to 1
 * @returns whether a server that meets the objective would show this result, or a worse one, in at most 1
 *   of 10,000 runs (exact binomial test)
 */
export const isIrreconcilable = (over: number, samples: number, allowed: number): boolean =>
  samples > 0 && binomialTail(over, samples, allowed) <= OBJECTIVES.maxChance;
