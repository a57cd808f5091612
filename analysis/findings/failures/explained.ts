/** What need not be said any more once the shape of the failures is known. */
import type { Finding } from '../findings.ts';

/** Of all failures, so many. */
const EXPLAINED = 0.9;
/** Shapes that may be the load's doing, unless they are of some operations only. */
const MAY_BE_LOAD = ['window', 'since'];

/**
 * @param limits what limited the run
 * @param shapes of its failures
 * @returns without what the shapes contradict or make idle: that nobody knows, or that the target was away
 */
export function unexplained(limits: Finding[], shapes: readonly Finding[]): Finding[] {
  const explaining = shapes.filter(
    ({ subject, figures: { explained, failed } }) =>
      subject !== 'modes' && (explained ?? 0) >= EXPLAINED * (failed ?? Number.POSITIVE_INFINITY),
  );
  const isOther = explaining.some(
    ({ subject, operation }) => operation !== undefined || !MAY_BE_LOAD.includes(subject),
  );
  // A server that answers again, or answers others, was there.
  const wasThere = isOther || explaining.some(({ subject }) => subject === 'window');
  return limits.filter(
    ({ subject, confidence }) =>
      !(isOther && confidence === 'not_enough_to_tell') && !(wasThere && subject === 'target away'),
  );
}
