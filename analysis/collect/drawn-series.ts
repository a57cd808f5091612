/** The client's half of a timeline as charts show it: each point is the step that begins there, and nothing before it. */

import type { Phase } from '../judge/phases.ts';
import { NORMAL } from '../limits.ts';
import { seriesOfWindows } from './client-series.ts';
import { type Grid, timesOf } from './grid.ts';
import type { Within } from './seconds.ts';
import { SparseHistogram } from './sparse-histogram.ts';
import type { Timeline } from './timeline.ts';

/** @returns of each point of the grid the step that begins there */
export const stepsOf = (grid: Grid) => timesOf(grid).map((fromS) => ({ fromS, toS: fromS + grid.step_s }));

/** @param steps one a point of the grid */
export function drawnSeries(
  steps: readonly Within[],
  grid: Grid,
  phases: readonly Phase[],
): NonNullable<Timeline['drawn']> {
  const { start_s, step_s } = grid;
  const series = seriesOfWindows(steps, { ...grid, start_s: start_s + step_s, window_s: step_s }, phases);
  return { ...series, p99: { unit: 'milliseconds', values: pooledP99(steps, grid, phases) } };
}

/** @returns one value for all steps that it takes to have 100 answers of one phase; null: the phase ended before there were as many */
function pooledP99(steps: readonly Within[], grid: Grid, phases: readonly Phase[]): (number | null)[] {
  const values: (number | null)[] = steps.map(() => null);
  const times = timesOf(grid);
  let first = 0;
  let pool = new SparseHistogram();
  let before: number | null = null;
  for (const [index, { latencies }] of steps.entries()) {
    const phase = phaseAt((times[index] ?? 0) + grid.step_s / 2, phases);
    if (phase !== before) {
      pool = new SparseHistogram();
      first = index;
      before = phase;
    }
    pool.add(latencies.all.text);
    if (pool.count < NORMAL.minP99Calls) continue;
    values.fill(pool.percentile(0.99), first, index + 1);
    pool = new SparseHistogram();
    first = index + 1;
  }
  return values;
}

/** @returns its place among the phases; -1: between them */
const phaseAt = (atS: number, phases: readonly Phase[]) =>
  phases.findIndex(
    ({ start, end }) =>
      start !== null && end !== null && Date.parse(start) / 1000 <= atS && atS < Date.parse(end) / 1000,
  );
