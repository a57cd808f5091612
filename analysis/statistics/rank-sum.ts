/**
 * Distribution of the sum of randomly chosen ranks, if each choice is equally likely. The Mann-Whitney test
 * and the interval of a shift are based on it.
 */

/**
 * Counts all choices of the given ranks, so the result is exact with ties as well.
 *
 * @param ranks ranks of all values, midranks for ties
 * @param chosen number of ranks that are added up
 * @returns the share of all choices by twice their sum, because midranks may be halves
 */
export function rankSumShares(ranks: number[], chosen: number): Float64Array {
  const doubled = ranks.map((rank) => 2 * rank);
  const maxSum = doubled
    .toSorted((a, b) => b - a)
    .slice(0, chosen)
    .reduce((sum, rank) => sum + rank, 0);
  // ways[n * width + s]: number of choices of n of the ranks so far with the sum s. Values above 2^53 are not
  // exact integers, but accurate to 15 digits, because nothing is ever subtracted.
  const width = maxSum + 1;
  const ways = new Float64Array((chosen + 1) * width);
  ways[0] = 1;
  let used = 0;
  for (const rank of doubled) {
    used += 1;
    for (let n = Math.min(chosen, used); n > 0; n -= 1) {
      const [to, from] = [n * width, (n - 1) * width - rank];
      for (let sum = rank; sum < width; sum += 1) {
        ways[to + sum] = Number(ways[to + sum]) + Number(ways[from + sum]);
      }
    }
  }
  const last = ways.subarray(chosen * width);
  const all = last.reduce((total, count) => total + count, 0);
  return last.map((count) => count / all);
}
