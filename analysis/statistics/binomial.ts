import { incompleteBeta } from './incomplete-beta.ts';

/**
 * @returns the exact probability of at least `count` successes in `trials` trials with probability `share`
 *   each (DLMF 8.17.5)
 */
export const binomialTail = (count: number, trials: number, share: number): number =>
  count <= 0 ? 1 : incompleteBeta(count, trials - count + 1, share);
