import { incompleteBeta } from './incomplete-beta.ts';

/** @returns the probability of `count` successes or more in `trials` of probability `share` each, exact (DLMF 8.17.5) */
export const binomialTail = (count: number, trials: number, share: number): number =>
  count <= 0 ? 1 : incompleteBeta(count, trials - count + 1, share);
