/** A reason not to trust a run's figures, or a fact that the reader should know. */
import { counted } from '../../../contract/units.js';
import type { Observation } from '../finding.ts';

export interface Doubt {
  /**
   * figures: they may be caused by the generator; load: the figures are valid, but some of the load is
   * missing; null: informs only.
   */
  invalid: 'figures' | 'load' | null;
  kind: 'generator' | 'note';
  subject: string;
  phase: string | null;
  statement: string;
  /** Recommended change. */
  hint: string;
  figures?: Record<string, number | null>;
  evidence?: string[];
  observations?: Observation[];
}

/**
 * Reports a rule once, even if it applies to several phases.
 *
 * @param found the phases, the worst first
 * @param say receives the name of the worst phase with the number of the others
 */
export function once<T extends { name: string; phase?: string | null }>(
  found: T[],
  say: (worst: T, where: string) => Doubt,
): Doubt[] {
  const [worst, ...rest] = found;
  if (!worst) return [];
  return [
    say(worst, rest.length > 0 ? `${worst.name} and ${counted(rest.length, 'other phase')}` : worst.name),
  ];
}

/** @param atS Unix time */
export const timeOf = (atS: number): string =>
  Number.isFinite(atS) ? new Date(atS * 1000).toISOString() : 'an unknown time';
