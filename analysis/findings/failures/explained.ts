/** Drops findings that the shape of the failures makes redundant. */

import { FAILURES } from '../../limits.ts';
import type { Finding } from '../finding.ts';
import type { Shape } from './shapes.ts';

/**
 * Drops findings that the shapes contradict or make redundant: findings that the cause is unknown, or that
 * the target was away.
 *
 * @param limits findings about what limited the run
 * @param shapes shapes of its failures
 * @param failed number of all failures
 */
export function unexplained(limits: Finding[], shapes: readonly Shape[], failed: number): Finding[] {
  const explaining = shapes.filter(
    ({ subject, count }) => subject !== 'modes' && failed > 0 && count >= FAILURES.explainsAll * failed,
  );
  const isOther = explaining.some(({ mayBeLoad }) => !mayBeLoad);
  // A server that recovers, answers other calls, or answers late was not away.
  const wasThere = isOther || explaining.some(({ subject }) => subject === 'window' || subject === 'late');
  return limits.filter(
    ({ subject, confidence }) =>
      !(isOther && confidence === 'inconclusive') && !(wasThere && subject === 'target away'),
  );
}
