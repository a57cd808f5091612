/**
 * The universal scalability law: the throughput of a system with n concurrent calls is X(n) = rate n / (1 +
 * contention (n - 1) + coherence n (n - 1)). Contention is the share of the work that is serialized;
 * coherence is the cost of each call for all others.
 *
 * N. J. Gunther, Guerrilla Capacity Planning, 2007, chapter 4. By Little's law, n / X is how long a call
 * stays, which is linear in the unknowns: W(n) = (1 + contention (n - 1) + coherence n (n - 1)) / rate.
 */
import { studentT } from './interval.ts';

export interface Point {
  /** Calls per second. */
  rate: number;
  /** Mean time that a call stays in the system, seconds. */
  stayS: number;
}

export interface ScalabilityLaw {
  /** Calls per second if there is one call at a time. */
  rate: number;
  contention: number;
  coherence: number;
  /** Half of the 95 % confidence intervals. */
  error: { contention: number; coherence: number };
  /** The load above which throughput decreases; null if there is none, as far as known. */
  peak: { calls: number; rate: number } | null;
}

/** Minimum number of different loads. */
export const MIN_POINTS = 5;

type Vector = [start: number, contention: number, coherence: number];

/** @returns null if there are too few points, or if they do not follow the law */
export function fitScalabilityLaw(points: readonly Point[]): ScalabilityLaw | null {
  if (points.length < MIN_POINTS || points.some(({ rate, stayS }) => !(rate > 0 && stayS > 0))) return null;
  const fits = [[0, 1, 2], [0, 1], [0, 2], [0]]
    .flatMap((used) => fit(points, used) ?? [])
    .filter(({ values: [start, ...rest] }) => start > 0 && rest.every((value) => value >= 0));
  const [best] = fits.toSorted((a, b) => a.squares - b.squares);
  if (!best) return null;
  const [start, contentionS, coherenceS] = best.values;
  const [contention, coherence] = [contentionS / start, coherenceS / start];
  const calls = Math.sqrt((1 - contention) / coherence);
  const isKnown = coherence > best.errors[2] / start && contention < 1;
  return {
    rate: 1 / start,
    contention,
    coherence,
    error: { contention: best.errors[1] / start, coherence: best.errors[2] / start },
    peak: isKnown ? { calls, rate: calls / stayAt(best.values, calls) } : null,
  };
}

const termsOf = (calls: number): Vector => [1, calls - 1, calls * (calls - 1)];

const stayAt = ([start, contention, coherence]: Vector, calls: number) => {
  const [, ofContention, ofCoherence] = termsOf(calls);
  return start + contention * ofContention + coherence * ofCoherence;
};

/**
 * Least squares of the relative errors, so that the longest times do not outweigh all others.
 *
 * @param used indices of the unknowns to fit; the others are 0
 * @returns errors: half of each 95 % confidence interval; null if the unknowns cannot be distinguished
 */
function fit(points: readonly Point[], used: readonly number[]) {
  const rows = points.map(({ rate, stayS }) => termsOf(rate * stayS).map((term) => term / stayS));
  const inverse = invert(
    used.map((i) => used.map((j) => rows.reduce((sum, row) => sum + Number(row[i]) * Number(row[j]), 0))),
  );
  if (!inverse) return null;
  const sums = used.map((i) => rows.reduce((sum, row) => sum + Number(row[i]), 0));
  const values: Vector = [0, 0, 0];
  const errors: Vector = [0, 0, 0];
  for (const [index, i] of used.entries())
    values[i] = sums.reduce((total, each, j) => total + each * Number(inverse[index]?.[j]), 0);
  const squares = points.reduce(
    (sum, { rate, stayS }) => sum + (stayAt(values, rate * stayS) / stayS - 1) ** 2,
    0,
  );
  const freedom = points.length - used.length;
  for (const [index, i] of used.entries())
    errors[i] = studentT(freedom) * Math.sqrt((squares / freedom) * Number(inverse[index]?.[index]));
  return { values, errors, squares };
}

/** Inverts a matrix of sums of squares by Gauss-Jordan elimination. @returns null if it is singular */
function invert(matrix: number[][]): number[][] | null {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let i = 0; i < size; i += 1) {
    const own = rows[i] as number[];
    const pivot = Number(own[i]);
    if (!(pivot > Number.EPSILON * Number(matrix[i]?.[i]))) return null;
    for (const [j, value] of own.entries()) own[j] = value / pivot;
    for (const [k, row] of rows.entries()) {
      const factor = Number(row[i]);
      if (k !== i) for (const [j, value] of row.entries()) row[j] = value - factor * Number(own[j]);
    }
  }
  return rows.map((row) => row.slice(size));
}
