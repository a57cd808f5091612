import { RECOMMENDED } from '../limits.ts';

/** @returns the smallest of those whose throughput counts as the best; undefined: none has one */
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
