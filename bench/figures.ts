/** Arithmetic and output of the benches. */
import Table from 'cli-table3';
import { max, median, min } from 'simple-statistics';

export interface Spread {
  median: number;
  min: number;
  max: number;
}

/**
 * @param values at least one
 * @param q 0..1
 * @returns the values at the two ranks next to the quantile; both are the same if the quantile is at a rank
 */
export function neighbours(values: number[], q: number): [below: number, above: number] {
  const sorted = Float64Array.from(values).sort();
  const rank = (sorted.length - 1) * q;
  return [sorted[Math.floor(rank)] ?? Number.NaN, sorted[Math.ceil(rank)] ?? Number.NaN];
}

/** Interpolates linearly between the two nearest ranks, as k6 does. See `neighbours`. */
export function quantile(values: number[], q: number): number {
  const [below, above] = neighbours(values, q);
  return below + (above - below) * (((values.length - 1) * q) % 1);
}

/** @param values at least one */
export const spread = (values: number[]): Spread => ({
  median: median(values),
  min: min(values),
  max: max(values),
});

/** The ratio of each round, so that drift of the machine's speed does not affect it. */
export const ratio = (ours: number[], base: number[]): Spread =>
  spread(ours.map((value, round) => value / (base[round] ?? Number.NaN)));

/**
 * @param points [x, y], sorted by x
 * @param windows number of parts into which the points are divided
 * @returns the lowest point of each part
 */
export function floors(points: [number, number][], windows: number): [number, number][] {
  const size = Math.max(1, Math.floor(points.length / windows));
  const parts = Array.from({ length: Math.floor(points.length / size) }, (_, part) =>
    points.slice(part * size, (part + 1) * size),
  );
  return parts.map((part) => part.reduce((low, point) => (point[1] < low[1] ? point : low)));
}

export function printTable(head: string[], rows: string[][]) {
  const table = new Table({ head, style: { head: [], border: [], compact: true } });
  table.push(...rows);
  console.log(table.toString());
}

export const verdict = (holds: boolean) => (holds ? 'ok' : 'over');

/** Prints rows, with the result for those that have a limit. @returns whether all limits hold */
export function judge(head: string[], rows: { cells: string[]; holds?: boolean }[]): boolean {
  const judged = rows.map(({ cells, holds }) => [...cells, holds === undefined ? '' : verdict(holds)]);
  printTable([...head, ''], judged);
  return rows.every(({ holds }) => holds !== false);
}

export const spreadText = ({ median, min, max }: Spread, digits: number) =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}..${max.toFixed(digits)})`;
