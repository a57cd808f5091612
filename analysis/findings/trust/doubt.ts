/** A reason not to trust a run's figures, or something that a reader of them has to know. */
import { counted } from '../../../contract/units.js';
import type { Observation } from '../finding.ts';

export interface Doubt {
  /** figures: they may be the generator's own; load: they stand, and some of the load is missing; null: the reader is to know. */
  invalid: 'figures' | 'load' | null;
  kind: 'generator' | 'note';
  subject: string;
  phase: string | null;
  statement: string;
  /** What to change. */
  hint: string;
  figures?: Record<string, number | null>;
  evidence?: string[];
  observations?: Observation[];
}

/**
 * One doubt of a rule, however many phases it holds in.
 *
 * @param found the phases, the worst first
 * @param say where: the worst one's name, and how many more there are
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
