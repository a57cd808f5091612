/**
 * @param sorted at least one value
 * @returns the percentile, interpolated linearly between two samples as in k6
 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const [low, high] = [sorted[below], sorted[Math.min(below + 1, sorted.length - 1)]];
  return Number(low) + (Number(high) - Number(low)) * (position - below);
}
