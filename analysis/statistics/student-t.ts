import { incompleteBeta } from './incomplete-beta.ts';

/**
 * @param t may be infinite
 * @param freedom degrees of freedom, above 0
 * @returns how often Student's t is as far from 0 as this, or further, to either side
 */
export function studentTails(t: number, freedom: number): number {
  if (Number.isNaN(t)) return Number.NaN;
  return incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t));
}
