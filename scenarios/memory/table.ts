/**
 * `make memory`: memory at rest, and per additional worker, connection and cached user, if it can be
 * determined.
 */

import { note } from '../../analysis/findings/note.ts';
import { medianOf } from '../../analysis/statistics/interval.ts';
import { fitLine } from '../../analysis/statistics/line.ts';
import { type Built, type Facts, tableOf } from '../../analysis/tables/report-tables.ts';
import { bytes } from '../../contract/units.js';
import type { MemoryResult, Point } from './trials.ts';

/** Maximum rows of the cache's table. */
const ROWS = 5;

/** The sizes measured at one count, in bytes. */
type Group = [count: string, sizes: number[]];

export default function memory({ trials }: Facts<MemoryResult>): Built {
  const result = trials?.result;
  if (!result) return { tables: [] };
  const { runtime, workers, pool, cache } = result;
  const atRest = groupsOf(workers);
  if (runtime !== null) atRest.unshift(['Node alone', [runtime]]);
  const [worker, connection, user] = [
    perOne('worker', workers),
    perOne('pooled connection', pool),
    perOne('cached user', cache),
  ];
  return {
    tables: [
      sizeTable('Memory at rest', 'workers', atRest, [
        `${worker}.`,
        "Resident size of all of the target's processes, including the primary.",
      ]),
      sizeTable('Memory by connections', 'connections', groupsOf(pool), [
        `${connection}.`,
        "The same with 1 worker, at rest after a load that opened its connections, without PostgreSQL's own memory.",
      ]),
      sizeTable('Memory by cached users', 'cached users', someOf(cache), [
        `${user}.`,
        'Memory of Redis, which stores the cache.',
      ]),
    ],
    findings: [worker, connection, user].map((statement) =>
      note('memory', statement, {
        confidence: statement.includes(INCONCLUSIVE) ? 'inconclusive' : 'high',
      }),
    ),
  };
}

const sizeTable = (title: string, counted: string, groups: Group[], notes: string[]) =>
  tableOf(
    title,
    groups,
    [
      { name: counted, unit: 'text', of: ([count]) => count },
      { name: 'starts', unit: 'count', of: ([, sizes]) => sizes.length },
      { name: 'median', unit: 'bytes', of: ([, sizes]) => medianOf(sizes) },
      { name: 'least', unit: 'bytes', of: ([, sizes]) => Math.min(...sizes) },
      { name: 'most', unit: 'bytes', of: ([, sizes]) => Math.max(...sizes) },
    ],
    notes,
  );

/** @returns ascending */
function groupsOf(points: Point[]): Group[] {
  const groups = [...Map.groupBy(points, ([count]) => count)].sort(([a], [b]) => a - b);
  return groups.map(([count, all]) => [String(count), all.map(([, size]) => size)]);
}

/** @returns a few groups, from the smallest count to the largest */
function someOf(points: Point[]): Group[] {
  const groups = groupsOf(points);
  const last = groups.length - 1;
  const wanted = new Set(Array.from({ length: ROWS }, (_, index) => Math.round((index * last) / (ROWS - 1))));
  return groups.filter((_, index) => wanted.has(index));
}

const INCONCLUSIVE = 'inconclusive';

/** @returns the memory of one more item, or a text that says that the result is inconclusive */
export function perOne(unit: string, points: Point[]): string {
  const line = fitLine(points);
  if (!line)
    return `memory per ${unit} is ${INCONCLUSIVE}: fewer than three measurements, or only one number of them`;
  const { slope, error, count } = line;
  if (Math.abs(slope) <= error) {
    return `memory per ${unit} is ${INCONCLUSIVE}: ${signed(slope)} with an error of ${bytes(error)}, from ${count} measurements`;
  }
  return `${signed(slope)} per ${unit} (+-${bytes(error)}, 95 % interval; ${count} measurements)`;
}

const signed = (size: number) => (size < 0 ? `-${bytes(-size)}` : bytes(size));
