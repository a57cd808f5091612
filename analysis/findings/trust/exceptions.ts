import { counted } from '../../../contract/units.js';
import type { Known } from '../known.ts';
import type { Doubt } from './doubt.ts';

/** Whatever threw the exception, the actual load differs from the planned one. */
export function exceptions({ ledger, log }: Known): Doubt[] {
  const { exceptions: count, iterations, exceptionsOf } = ledger;
  const uncaught = log.uncaught?.count ?? 0;
  if (count + uncaught === 0) return [];
  const [[operation = null, its = count] = [], ...others] = Object.entries(exceptionsOf).sort(
    ([, a], [, b]) => b - a,
  );
  const logged = log.exceptions[operation ?? Object.keys(log.exceptions)[0] ?? ''];
  const first = logged?.message ?? log.uncaught?.first;
  const thrower = logged?.function ? `${logged.function}() of ${operation}` : operation;
  const rest =
    others.length > 0 ? `; ${counted(others.length, 'other operation')} threw exceptions, too` : '';
  return [
    {
      invalid: 'figures',
      kind: 'note',
      subject: 'exceptions',
      phase: null,
      statement:
        `${thrower ?? 'the script'} threw ${counted(its || uncaught, 'exception')} in ${counted(iterations, 'iteration')}` +
        `${first ? `, the first: ${first}` : ''}${rest}`,
      hint: logged?.function
        ? `correct ${logged.function}() in the workload`
        : 'correct the workload; if none of its functions threw the exception, see k6.log',
      figures: { exceptions: count + uncaught, iterations },
    },
  ];
}
