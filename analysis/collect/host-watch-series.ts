/** Reads the CPU records (host-watch-record.ts), as series of a timeline and as means of a phase. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { round } from '../round.ts';
import { validator } from '../schemas.ts';
import type { Grid } from './grid.ts';
import type { HostWatch } from './host-watch-record.ts';
import type { Timeline } from './timeline.ts';
import type { Trials } from './trials.ts';

/** Means by signal; unknown signals are absent. */
export type Watched = Record<string, number>;

const validate = validator('host-watch.schema.json');
const DIGITS = 6;

/**
 * @param directory directory of the run's results
 * @returns the records of its trials, in order; trials without a record are left out
 */
export function readHostWatches(directory: string, trials: Trials | null): HostWatch[] {
  const folders = trials ? trials.trials.map(({ folder }) => folder) : [''];
  return folders.flatMap((folder) => {
    try {
      const watch = JSON.parse(readFileSync(join(directory, folder, 'host-watch.json'), 'utf8'));
      return validate(watch) === null && watch.points.length > 1 ? [watch] : [];
    } catch {
      // Without Linux's /proc, there is no record. The rest of the run is complete.
      return [];
    }
  });
}

/** Signals that are computed from the record's totals, as a share of all cores. */
const SIGNALS: Record<string, { unit: string; of: string }> = {
  db_cpu: { unit: 'ratio', of: 'db' },
  cache_cpu: { unit: 'ratio', of: 'cache' },
  target_process_cpu: { unit: 'ratio', of: 'target' },
  stack_cpu: { unit: 'ratio', of: 'stack' },
  other_cpu: { unit: 'ratio', of: 'other' },
};

/** @param fromS Unix time @returns means over this time; {} if the record does not cover all of it */
export function watchedIn(watch: HostWatch, fromS: number, toS: number): Watched {
  const [before, after] = [totalsAt(watch, fromS), totalsAt(watch, toS)];
  if (!before || !after || toS <= fromS) return {};
  /** @returns NaN if unknown */
  const used = (column: string): number => {
    const index = watch.columns.indexOf(column);
    return (after[index] ?? Number.NaN) - (before[index] ?? Number.NaN);
  };
  const means = Object.entries(SIGNALS).flatMap(([name, { of }]) => {
    const mean = used(of) / (watch.cores * (toS - fromS));
    return Number.isFinite(mean) ? [[name, round(Math.max(0, mean), DIGITS)]] : [];
  });
  return Object.fromEntries(means);
}

/**
 * Computes the means of a phase without its neighbours. Totals are interpolated between two looks, so the
 * first second of a spike would otherwise count for the phase before it.
 *
 * @param fromS Unix time
 * @returns means from the first to the last look within the time, or over all of it if those looks cover
 *   less than half of it; {} if the record does not cover all of it
 */
export function watchedWithin(watch: HostWatch, fromS: number, toS: number): Watched {
  const looks = watch.points.map(([atS]) => atS ?? 0).filter((atS) => atS >= fromS && atS <= toS);
  const [first = 0, last = 0] = [looks[0], looks.at(-1)];
  const whole = watchedIn(watch, fromS, toS);
  const seen = Object.keys(whole).length > 0;
  return seen && last - first >= (toS - fromS) / 2 ? watchedIn(watch, first, last) : whole;
}

/** @returns the totals at this time, interpolated between two points; null outside of the record */
function totalsAt({ points }: HostWatch, atS: number): (number | null)[] | null {
  // If the clock was set back, several pairs of points contain this time. Uses the first one.
  const index = points.findIndex((point, i) => (point[0] ?? 0) <= atS && atS <= (points[i + 1]?.[0] ?? 0));
  const [before, after] = [points[index], points[index + 1]];
  if (!before || !after) return null;
  const [fromS, toS] = [before[0] ?? 0, after[0] ?? 0];
  const share = toS > fromS ? (atS - fromS) / (toS - fromS) : 0;
  return before.map((value, column) => {
    const next = after[column];
    return value === null || next == null ? null : value + share * (next - value);
  });
}

/** @returns the name of the unrelated program with the most CPU time */
export function heaviestOther({ points, others }: HostWatch, fromS: number, toS: number): string | null {
  const used: Map<string, number> = new Map();
  points.forEach(([atS], index) => {
    if (atS == null || atS < fromS || atS > toS) return;
    for (const [name, seconds] of others[index] ?? []) used.set(name, (used.get(name) ?? 0) + seconds);
  });
  const [first] = [...used].sort(([, a], [, b]) => b - a);
  return first?.[0] ?? null;
}

/**
 * @param watches records of the same run
 * @returns the signals; each value covers the window before its point
 */
export function watchedOverTime(grid: Grid, watches: HostWatch[]): Timeline['signals'] {
  const { start_s, step_s, count, window_s } = grid;
  const rows = Array.from({ length: count }, (_, index) => {
    const atS = start_s + index * step_s;
    const watch = watches.find(
      ({ points }) => (points[0]?.[0] ?? 0) <= atS && atS <= (points.at(-1)?.[0] ?? 0),
    );
    // The window of the first points is limited to the time since the record began.
    return watch ? watchedIn(watch, Math.max(atS - window_s, watch.points[0]?.[0] ?? 0), atS) : {};
  });
  const merged = Object.entries(SIGNALS).flatMap(([name, { unit }]) => {
    const values = rows.map((row) => row[name] ?? null);
    return values.every((value) => value === null) ? [] : [[name, { unit, values }]];
  });
  return Object.fromEntries(merged);
}
