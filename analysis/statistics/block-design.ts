/**
 * Which of several alternatives differ, where each was measured once in every one of several rounds (a randomised complete
 * block design). What made a whole round fast or slow falls on all of them and cancels; what is left of each figure when
 * its alternative's and its round's means are taken away is chance, of all of them together. Figures are compared as
 * logarithms: a machine that is slower is so by a share.
 *
 * The bound is Tukey's: of alternatives that are all the same, the best and the worst lie further apart than this one
 * time in twenty, however many there are. (Tukey, "Comparing individual means in the analysis of variance", 1949.)
 */
import { seededRandom } from '../../contract/seeded-random.js';
import { meanOf } from './interval.ts';

const DRAWS = 40_000;
const CONFIDENCE = 0.95;
/** Those that were drawn already, by their two arguments: each takes a tenth of a second. */
const RANGES: Map<string, number> = new Map();
/** An error that one figure alone is the estimate of may be next to nothing by luck. */
const LEAST_FREEDOM = 2;

/**
 * @param figures above 0, by alternative and round: as many rounds of each
 * @returns geometric means; the least factor between two of them that is more than chance (1.1: 10 % more), null with too few to tell; null
 *   without a figure
 */
export function compareInBlocks(figures: number[][]): { means: number[]; apart: number | null } | null {
  const logs = figures.map((row) => row.map(Math.log));
  const rounds = logs[0]?.length ?? 0;
  if (rounds === 0) return null;
  const effects = logs.map(meanOf);
  const means = effects.map(Math.exp);
  const freedom = (logs.length - 1) * (rounds - 1);
  if (freedom < LEAST_FREEDOM) return { means, apart: null };
  const all = meanOf(effects);
  const byRound = Array.from({ length: rounds }, (_, round) =>
    meanOf(logs.map((row) => row[round] as number)),
  );
  const squares = logs.flatMap((row, index) =>
    row.map((value, round) => (value - (effects[index] ?? 0) - (byRound[round] ?? 0) + all) ** 2),
  );
  const error = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / freedom);
  const least = (studentizedRange(logs.length, freedom) * error) / Math.sqrt(rounds);
  return { means, apart: Math.exp(least) };
}

/**
 * @param count of alternatives, at least 2
 * @param freedom degrees of freedom of the error, at least 2
 * @returns what the range of so many standard normal figures, divided by an error estimated with that freedom, stays below 19 times of 20;
 *   drawn, the same each time, to about 2 %
 */
export function studentizedRange(count: number, freedom: number): number {
  const known = RANGES.get(`${count} ${freedom}`);
  if (known !== undefined) return known;
  const random = seededRandom(1);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const drawn = new Float64Array(DRAWS).map(() => {
    const values = Array.from({ length: count }, normal);
    let squares = 0;
    for (let index = 0; index < freedom; index += 1) squares += normal() ** 2;
    return (Math.max(...values) - Math.min(...values)) / Math.sqrt(squares / freedom);
  });
  const range = drawn.sort()[Math.floor(CONFIDENCE * DRAWS)] ?? Number.NaN;
  RANGES.set(`${count} ${freedom}`, range);
  return range;
}
