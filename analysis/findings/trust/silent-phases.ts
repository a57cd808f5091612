import type { Phase } from '../../judge/phases.ts';
import type { Known } from '../known.ts';
import type { Doubt } from './doubt.ts';

export function silence({ phases, partial }: Known): Doubt[] {
  // If a run ended early, phases that never began are expected.
  const surprising = silentPhases(phases).filter(({ start }) => !partial || start !== null);
  return surprising.map(({ name, start }) => ({
    invalid: 'load',
    kind: 'note',
    subject: 'samples',
    phase: name,
    statement: `${name} had no requests and cannot be judged`,
    hint:
      start === null
        ? 'the run ended before this phase: find out why'
        : 'choose a rate and a duration that allow at least one request',
  }));
}

/** @returns measured phases without a request */
export function silentPhases(phases: Phase[]): Phase[] {
  return phases.filter(({ measured, requests }) => measured && !requests);
}
