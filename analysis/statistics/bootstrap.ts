/**
 * What a difference between two percentiles is worth, from the samples of several rounds in which both were measured.
 *
 * Two-stage bootstrap: draw as many rounds as there were, with replacement; of each drawn round and side as many of its
 * samples, with replacement; pool what was drawn by side; take the difference of the two percentiles. Of two thousand such
 * differences the middle 95% are the interval. Whole rounds are drawn because the samples of one round resemble one
 * another: the machine was in the same mood. With few rounds the interval is somewhat too narrow.
 */

import { seededRandom } from '../../contract/seeded-random.js';
import { percentile } from './percentile.ts';

const DRAWS = 2000;
const LEAST_DRAWS = 200;
/** Samples that are drawn in all, at most: what takes some seconds. */
const BUDGET = 40_000_000;
const MIDDLE = 0.95;

/** What was measured in one round, of each side. */
export type Round = { a: number[]; b: number[] };

export interface Difference {
  /** Of b - a, from all samples. */
  value: number;
  /** null: one round says nothing about the next. */
  low: number | null;
  high: number | null;
}

/**
 * @param share of the samples that lie below: 0.99 for p99
 * @param seed the same samples make the same interval
 * @returns null without a sample on either side
 */
export function differenceOf(rounds: Round[], share: number, seed: number = 1): Difference | null {
  const whole = rounds.filter(({ a, b }) => a.length > 0 && b.length > 0);
  const [a, b] = [whole.flatMap((round) => round.a), whole.flatMap((round) => round.b)];
  if (whole.length === 0) return null;
  const value =
    percentile(Float64Array.from(b).sort(), share) - percentile(Float64Array.from(a).sort(), share);
  if (whole.length === 1) return { value, low: null, high: null };
  const random = seededRandom(seed);
  const draws = Math.max(LEAST_DRAWS, Math.min(DRAWS, Math.floor(BUDGET / (a.length + b.length))));
  const differences = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw += 1) {
    const drawn = whole.map(() => whole[Math.floor(random() * whole.length)] as Round);
    differences[draw] =
      percentile(
        redraw(
          drawn.map((round) => round.b),
          random,
        ),
        share,
      ) -
      percentile(
        redraw(
          drawn.map((round) => round.a),
          random,
        ),
        share,
      );
  }
  differences.sort();
  const tail = (1 - MIDDLE) / 2;
  return { value, low: percentile(differences, tail), high: percentile(differences, 1 - tail) };
}

/** @returns as many of each block, sorted */
function redraw(blocks: number[][], random: () => number): Float64Array {
  const pool = new Float64Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let next = 0;
  for (const block of blocks) {
    for (let count = block.length; count > 0; count -= 1) {
      pool[next++] = block[Math.floor(random() * block.length)] as number;
    }
  }
  return pool.sort();
}
