import { OBJECTIVES } from '../limits.ts';
import { binomialTail } from '../statistics/binomial.ts';

/**
 * Rejects an objective that allows a share of the calls, with however few of them: 3 failures of 3 are enough to reject 1 %.
 *
 * @param over calls that count against the objective
 * @param samples all calls
 * @param allowed the share that the objective allows, 0 to 1
 * @returns whether a server that meets the objective would show this, or worse, once in 10,000 runs at most (exact binomial test)
 */
export const isIrreconcilable = (over: number, samples: number, allowed: number): boolean =>
  samples > 0 && binomialTail(over, samples, allowed) <= OBJECTIVES.maxChance;
