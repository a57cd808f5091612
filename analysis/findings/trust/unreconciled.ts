import { counted } from '../../../contract/units.js';
import type { Known } from '../known.ts';
import { type Doubt, once } from './doubt.ts';

/** Iterations and requests that do not add up: one of the two counts is wrong, so no figure is reliable. */
export function unreconciled({ ledger }: Known): Doubt[] {
  const found = ledger.phases
    .filter(({ unexplained, surplus }) => unexplained + surplus > 0)
    .map((one) => ({ ...one, name: one.phase }))
    .sort((a, b) => b.unexplained + b.surplus - (a.unexplained + a.surplus));
  return once(found, (worst, where) => {
    const { phase, iterations, calls, exceptions, unexplained, surplus, vus } = worst;
    return {
      invalid: 'figures',
      kind: 'note',
      subject: 'iterations',
      phase,
      statement:
        `iterations and requests do not add up in ${where}: ${counted(iterations, 'iteration')} ended, ` +
        `${counted(calls, 'call')} and ${counted(exceptions, 'exception')} were counted, so ` +
        (unexplained > 0
          ? `${counted(unexplained, 'iteration')} left no trace`
          : `${counted(surplus, 'call')} were more than ${counted(vus, 'VU')} can have had in flight at the end`),
      hint: 'see k6.log for the reason; otherwise please report this as a bug of the load generator',
      figures: { iterations, calls, exceptions, unexplained, surplus },
    };
  });
}
