/** What need not be said any more once the shape of the failures is known. */

import { FAILURES } from '../../limits.ts';
import type { Finding } from '../finding.ts';
import type { Shape } from './shapes.ts';

/**
 * @param limits what limited the run
 * @param shapes of its failures
 * @param failed all of them
 * @returns without what the shapes contradict or make idle: that nobody knows, or that the target was away
 */
export function unexplained(limits: Finding[], shapes: readonly Shape[], failed: number): Finding[] {
  const explaining = shapes.filter(
    ({ subject, count }) => subject !== 'modes' && failed > 0 && count >= FAILURES.explainsAll * failed,
  );
  const isOther = explaining.some(({ mayBeLoad }) => !mayBeLoad);
  // A server that answers again, answers others, or answers late was there.
  const wasThere = isOther || explaining.some(({ subject }) => subject === 'window' || subject === 'late');
  return limits.filter(
    ({ subject, confidence }) =>
      !(isOther && confidence === 'not_enough_to_tell') && !(wasThere && subject === 'target away'),
  );
}
