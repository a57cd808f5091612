import { duration } from '../../contract/units.js';
import type { Plan } from '../collect/plan.ts';
import { round } from '../round.ts';
import type { Run } from './run.ts';

/** A run that was ended before its end, by a signal, a crash or itself. */

export interface Partial {
  ran_s: number;
  /** null: the test has no planned length. */
  planned_s: number | null;
}

/** k6's exit codes of a run that came to its end: 99 where it missed a threshold. */
const COMPLETE = [0, 99];

/** @param run one whose load began @returns null: it came to its end */
export function partialOf({
  plan,
  k6Exit,
  ranS,
  trials,
}: {
  plan: Plan;
  k6Exit: number;
  ranS: number;
  /** Is it one of several k6 runs, of which the plan is not the whole? */
  trials: boolean;
}): Partial | null {
  if (COMPLETE.includes(k6Exit)) return null;
  const ends = plan.phases.map(({ start_s, duration_s }) => start_s + duration_s);
  const timed = !trials && !plan.sequence && ends.length > 0;
  return { ran_s: round(ranS), planned_s: timed ? round(Math.max(...ends)) : null };
}

/** @returns such as `39 s`, or `partial: 10.5 s of 39 s`; empty where its load never began */
export function lengthText({ duration_s, partial }: Pick<Run, 'duration_s' | 'partial'>): string {
  if (duration_s === null) return '';
  return partial ? `partial: ${ofPlanned(partial)}` : duration(duration_s);
}

/** @returns `10.5 s of 39 s` */
export function ofPlanned({ ran_s, planned_s }: Partial): string {
  return duration(ran_s) + (planned_s === null ? '' : ` of ${duration(planned_s)}`);
}
