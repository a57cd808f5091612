import { duration } from '../../contract/units.js';
import type { Plan } from '../collect/plan.ts';
import { round } from '../round.ts';
import type { Run } from './run.ts';

/** A run that ended early because of a signal, a crash or an abort. */

export interface Partial {
  ran_s: number;
  /** null if the test has no planned duration. */
  planned_s: number | null;
}

/** k6's exit codes for a complete run; 99 means that a threshold failed. */
const COMPLETE = [0, 99];

/** @param run must have begun its load @returns null if the run was complete */
export function partialOf({
  plan,
  k6Exit,
  ranS,
  trials,
}: {
  plan: Plan;
  k6Exit: number;
  ranS: number;
  /** Whether the test consists of several k6 runs, so that the plan covers only one of them. */
  trials: boolean;
}): Partial | null {
  if (COMPLETE.includes(k6Exit)) return null;
  const ends = plan.phases.map(({ start_s, duration_s }) => start_s + duration_s);
  const timed = !trials && !plan.sequence && ends.length > 0;
  return { ran_s: round(ranS), planned_s: timed ? round(Math.max(...ends)) : null };
}

/** @returns for example `39 s`, or `partial: 10.5 s of 39 s`; '' if the load never began */
export function lengthText({ duration_s, partial }: Pick<Run, 'duration_s' | 'partial'>): string {
  if (duration_s === null) return '';
  return partial ? `partial: ${ofPlanned(partial)}` : duration(duration_s);
}

/** @returns for example `10.5 s of 39 s` */
export function ofPlanned({ ran_s, planned_s }: Partial): string {
  return duration(ran_s) + (planned_s === null ? '' : ` of ${duration(planned_s)}`);
}
