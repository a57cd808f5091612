import { incompleteBeta } from './incomplete-beta.ts';

/** @param t may be infinite @param freedom degrees of freedom, above 0 @returns the two-sided p-value of t */
export function studentTails(t: number, freedom: number): number {
  if (Number.isNaN(t)) return Number.NaN;
  return incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t));
}
