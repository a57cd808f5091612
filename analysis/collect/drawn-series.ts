/** Builds the client's series for charts: each point covers only the step that begins there. */

import type { Phase } from '../judge/phases.ts';
import { NORMAL } from '../limits.ts';
import { seriesOfWindows } from './client-series.ts';
import { type Grid, timesOf } from './grid.ts';
import type { Within } from './seconds.ts';
import { SparseHistogram } from './sparse-histogram.ts';
import type { Timeline } from './timeline.ts';

/** @returns the step that begins at each point of the grid */
export const stepsOf = (grid: Grid) => timesOf(grid).map((fromS) => ({ fromS, toS: fromS + grid.step_s }));

/** @param steps one for each point of the grid */
export function drawnSeries(
  steps: readonly Within[],
  grid: Grid,
  phases: readonly Phase[],
): NonNullable<Timeline['drawn']> {
  const { start_s, step_s } = grid;
  const series = seriesOfWindows(steps, { ...grid, start_s: start_s + step_s, window_s: step_s }, phases);
  return { ...series, p99: { unit: 'milliseconds', values: pooledP99(steps, grid, phases) } };
}

/**
 * @returns p99 values, each computed over as many steps of a phase as contain 100 calls; null for the last
 *   steps of a phase if they contain fewer
 */
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

/** @returns the index of the phase; -1 between phases */
const phaseAt = (atS: number, phases: readonly Phase[]) =>
  phases.findIndex(
    ({ start, end }) =>
      start !== null && end !== null && Date.parse(start) / 1000 <= atS && atS < Date.parse(end) / 1000,
  );
