import { counted, duration } from '../../../contract/units.js';
import { round } from '../../round.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

/** Reports calls that k6 interrupted: no figure contains them. */
export function interruptedCalls({ phases }: Known): Finding[] {
  return phases.flatMap(({ name, start, interrupted: cut }) => {
    if (!cut || start === null) return [];
    const sinceS = round((Date.parse(cut.since) - Date.parse(start)) / 1000, 1);
    const [were, began] = cut.calls === 1 ? ['was', 'began'] : ['were', 'the oldest began'];
    const statement = `${counted(cut.calls, 'call')} ${were} still open when ${name} was interrupted (${began} ${duration(sinceS)} into the phase); interrupted calls count neither as answered nor as failed`;
    return [note('interrupted', statement, { phase: name, figures: { interrupted_calls: cut.calls } })];
  });
}
