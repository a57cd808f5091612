import { duration, number } from '../../../contract/units.js';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

export function unfinishedPhases({ plan, phases }: Known): Finding[] {
  return phases.flatMap((phase, index) => {
    if (phase.completed) return [];
    const planned = duration(plan.phases[index]?.duration_s);
    const { name, iterations, iterations_planned: wanted } = phase;
    if (phase.start === null) return [note('phase', `${name} did not start`, { phase: name })];
    const statement =
      wanted !== null && iterations !== null
        ? `${name} made ${number(iterations)} of its ${number(wanted)} iterations within ${duration(phase.duration_s)}`
        : `${name} was cut short: ${duration(phase.duration_s)} of ${planned}`;
    return [note('phase', statement, { phase: name })];
  });
}
