/** `make memory`: at rest, and what one more worker, connection or cached user takes, where that can be told. */

import { note } from '../../analysis/findings/note.ts';
import { medianOf } from '../../analysis/statistics/interval.ts';
import { fitLine } from '../../analysis/statistics/line.ts';
import type { Built, Column, Facts } from '../../analysis/tables/report-tables.ts';
import { bytes } from '../../contract/units.js';
import type { MemoryResult, Point } from './trials.ts';

type Columns = Column[];

/** The table of what is cached has this many rows. */
const ROWS = 5;

export default function memory({ trials }: Facts<MemoryResult>): Built {
  const result = trials?.result;
  if (!result) return { tables: [] };
  const { runtime, workers, pool, cache } = result;
  const parts = [
    { title: 'Memory at rest', name: 'workers', unit: 'worker', points: workers, groups: groupsOf(workers) },
    {
      title: 'Memory by connections',
      name: 'connections',
      unit: 'pooled connection',
      points: pool,
      groups: groupsOf(pool),
    },
    {
      title: 'Memory by cached users',
      name: 'cached users',
      unit: 'cached user',
      points: cache,
      groups: someOf(cache),
    },
  ];
  const statements = parts.map(({ unit, points }) => perOne(unit, points));
  const tables = parts.map(({ title, name, groups }, index) => ({
    title,
    columns: columnsOf(name),
    rows: groups.map(([count, sizes]) => [
      String(count),
      sizes.length,
      medianOf(sizes),
      Math.min(...sizes),
      Math.max(...sizes),
    ]),
    notes: [`${statements[index]}.`],
  }));
  if (runtime !== null) {
    tables[0]?.rows.unshift(['Node alone', 1, runtime, runtime, runtime]);
  }
  tables[0]?.notes.push("Resident size of all of the target's processes, its primary among them.");
  tables[1]?.notes.push(
    "The same, with 1 worker, at rest after a load that opened its connections; PostgreSQL's own memory is not in it.",
  );
  tables[2]?.notes.push('Of Redis, where the cache is.');
  return { tables, findings: statements.map((statement) => note('memory', statement)) };
}

const columnsOf = (name: string): Columns => [
  { name, unit: 'text' },
  { name: 'starts', unit: 'count' },
  { name: 'median', unit: 'bytes' },
  { name: 'least', unit: 'bytes' },
  { name: 'most', unit: 'bytes' },
];

/** @returns sizes by count, ascending */
function groupsOf(points: Point[]): [number, number[]][] {
  const groups: Map<number, number[]> = new Map();
  for (const [count, size] of points) groups.set(count, [...(groups.get(count) ?? []), size]);
  return [...groups].sort(([a], [b]) => a - b);
}

/** @returns a few of them, from the least to the most */
function someOf(points: Point[]): [number, number[]][] {
  const groups = groupsOf(points);
  const last = groups.length - 1;
  const wanted = new Set(Array.from({ length: ROWS }, (_, index) => Math.round((index * last) / (ROWS - 1))));
  return groups.filter((_, index) => wanted.has(index));
}

/** @returns what one more takes, or that it can't be told */
export function perOne(unit: string, points: Point[]): string {
  const line = fitLine(points);
  if (!line)
    return `not enough to tell what a ${unit} takes: fewer than three measurements, or of one number alone`;
  const { slope, error, count } = line;
  if (Math.abs(slope) <= error) {
    return `not enough to tell what a ${unit} takes: ${signed(slope)} with an error of ${bytes(error)}, from ${count} measurements`;
  }
  return `${signed(slope)} for each ${unit} (within ${bytes(error)}, 19 times of 20; ${count} measurements)`;
}

const signed = (size: number) => (size < 0 ? `-${bytes(-size)}` : bytes(size));
