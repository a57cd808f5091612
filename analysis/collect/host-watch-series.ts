/** What the watchers beside k6 saw (host-watch-record.ts), as it is read: as series of a timeline, and as the means of a phase. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { round } from '../round.ts';
import { validator } from '../schemas.ts';
import type { Grid } from './grid.ts';
import type { HostWatch } from './host-watch-record.ts';
import type { Timeline } from './timeline.ts';
import type { Trials } from './trials.ts';

/** A signal's mean, by its name; without what is not known. */
export type Watched = Record<string, number>;

const validate = validator('host-watch.schema.json');
const DIGITS = 6;

/** @param directory a run's results @returns of its trials, in their order; without those that nobody watched */
export function readHostWatches(directory: string, trials: Trials | null): HostWatch[] {
  const folders = trials ? trials.trials.map(({ folder }) => folder) : [''];
  return folders.flatMap((folder) => {
    try {
      const watch = JSON.parse(readFileSync(join(directory, folder, 'host-watch.json'), 'utf8'));
      return validate(watch) === null && watch.points.length > 1 ? [watch] : [];
    } catch {
      // Not on Linux, or not natively: the run has all else.
      return [];
    }
  });
}

/** The signals that are made of a watcher's totals: shares of all processors for the time. */
const SIGNALS: Record<string, { unit: string; of: string }> = {
  db_cpu: { unit: 'ratio', of: 'db' },
  cache_cpu: { unit: 'ratio', of: 'cache' },
  target_process_cpu: { unit: 'ratio', of: 'target' },
  stack_cpu: { unit: 'ratio', of: 'stack' },
  other_cpu: { unit: 'ratio', of: 'other' },
};

/** @param fromS Unix time @returns means over this time; {} where the watcher did not see all of it */
export function watchedIn(watch: HostWatch, fromS: number, toS: number): Watched {
  const [before, after] = [totalsAt(watch, fromS), totalsAt(watch, toS)];
  if (!before || !after || toS <= fromS) return {};
  /** @returns NaN where it is not known */
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
 * The same of a phase, without what belongs to its neighbours: between two looks totals grow evenly as far as anyone knows, and a
 * spike's first second would be in the calm before it.
 *
 * @param fromS Unix time
 * @returns means from the first look to the last one in this time; over all of it where they are less than half of it; {} where the watcher
 *   did not see all of it
 */
export function watchedWithin(watch: HostWatch, fromS: number, toS: number): Watched {
  const looks = watch.points.map(([atS]) => atS ?? 0).filter((atS) => atS >= fromS && atS <= toS);
  const [first = 0, last = 0] = [looks[0], looks.at(-1)];
  const whole = watchedIn(watch, fromS, toS);
  const seen = Object.keys(whole).length > 0;
  return seen && last - first >= (toS - fromS) / 2 ? watchedIn(watch, first, last) : whole;
}

/** @returns its totals at this time, on the straight line between two points; null: it did not watch then */
function totalsAt({ points }: HostWatch, atS: number): (number | null)[] | null {
  // A clock that was set back stands in them, too: the first pair that holds the time is taken.
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

/** @returns the name of the program that took most of the CPU that none of the run's own parts took */
export function heaviestOther({ points, others }: HostWatch, fromS: number, toS: number): string | null {
  const used: Map<string, number> = new Map();
  points.forEach(([atS], index) => {
    if (atS == null || atS < fromS || atS > toS) return;
    for (const [name, seconds] of others[index] ?? []) used.set(name, (used.get(name) ?? 0) + seconds);
  });
  const [first] = [...used].sort(([, a], [, b]) => b - a);
  return first?.[0] ?? null;
}

/** @param watches of the same run @returns with their signals, each value over the window before its point */
export function watchedOverTime(grid: Grid, watches: HostWatch[]): Timeline['signals'] {
  const { start_s, step_s, count, window_s } = grid;
  const rows = Array.from({ length: count }, (_, index) => {
    const atS = start_s + index * step_s;
    const watch = watches.find(
      ({ points }) => (points[0]?.[0] ?? 0) <= atS && atS <= (points.at(-1)?.[0] ?? 0),
    );
    // The window of a watcher's first points is as long as it has watched.
    return watch ? watchedIn(watch, Math.max(atS - window_s, watch.points[0]?.[0] ?? 0), atS) : {};
  });
  const merged = Object.entries(SIGNALS).flatMap(([name, { unit }]) => {
    const values = rows.map((row) => row[name] ?? null);
    return values.every((value) => value === null) ? [] : [[name, { unit, values }]];
  });
  return Object.fromEntries(merged);
}
