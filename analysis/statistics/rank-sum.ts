/**
 * How the sum of some ranks is distributed where which ones they are is chance: each choice is as likely as any other. This
 * is what the Mann-Whitney test and the interval of a shift rest on.
 */

/**
 * Counted, choice by choice, over the ranks that there are: with equal values, too, it is exact.
 *
 * @param ranks of all values together, midranks where values are equal
 * @param chosen how many of them are added up
 * @returns the share of all choices, by twice their sum: midranks are halves
 */
export function rankSumShares(ranks: number[], chosen: number): Float64Array {
  const doubled = ranks.map((rank) => 2 * rank);
  const most = doubled
    .toSorted((a, b) => b - a)
    .slice(0, chosen)
    .reduce((sum, rank) => sum + rank, 0);
  // ways[n * width + s]: choices of n of the ranks so far, with the sum s. Beyond 2^53 these are no whole numbers any more, but
  // as good as 15 digits, for nothing is ever taken away.
  const width = most + 1;
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
