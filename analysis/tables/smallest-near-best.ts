import { RECOMMENDED } from '../limits.ts';

/**
 * @returns the smallest item whose throughput is equivalent to the best one; undefined if no item has a
 *   throughput
 */
export function smallestNearBest<T>(
  all: readonly T[],
  throughputOf: (one: T) => number | null,
  sizeOf: (one: T) => number,
): T | undefined {
  const top = Math.max(0, ...all.map((one) => throughputOf(one) ?? 0));
  return all
    .filter((one) => top > 0 && (throughputOf(one) ?? 0) >= (1 - RECOMMENDED.tie) * top)
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))[0];
}
