/** Counts failures by phase, operation, kind and the second in which the request began. */
import type { Line } from '../../collect/seconds.ts';
import { SparseHistogram } from '../../collect/sparse-histogram.ts';
import type { Phase } from '../../judge/phases.ts';

/**
 * Unix times in milliseconds at which the first and the last of some requests began; null without requests.
 */
export type Span = readonly [firstMs: number, lastMs: number] | null;

interface Failed {
  count: number;
  span: Span;
}

/** Counts of the requests of one operation that began in the same second and phase. */
export interface Cell {
  phase: string;
  operation: string;
  /** Unix time. */
  at: number;
  requests: number;
  /** Failures of all kinds. */
  failed: number;
  kinds: ReadonlyMap<string, Failed>;
  /** Successful calls by the tenth of the second in which they began; empty if unknown. */
  wellTenths: readonly number[];
}

/**
 * Cells in which only the failures of one kind count, or all of them. Requests with other failures are
 * ignored.
 */
export interface Stratum {
  /** null for all kinds. */
  kind: string | null;
  cells: readonly Cell[];
}

export interface Sum {
  failed: number;
  well: number;
}

const NO_KINDS: ReadonlyMap<string, Failed> = new Map();

export const joined = (one: Span, other: Span): Span =>
  one && other ? [Math.min(one[0], other[0]), Math.max(one[1], other[1])] : (one ?? other);

/** @returns the cells of the measured phases, in order of time */
export function cellsOf(lines: readonly Line[], phases: readonly Phase[]): Cell[] {
  const measured = new Set(phases.filter((phase) => phase.measured).map(({ name }) => name));
  const bySeries = new Map<string, Map<number, Cell>>();
  for (const { second, groups } of lines)
    for (const [number, counts] of Object.entries(second.groups ?? {})) {
      const { phase = '', operation = '' } = groups.get(number) ?? {};
      const { requests = 0, failures = {}, failedAt = {}, wellOffsets = '' } = counts;
      if (!measured.has(phase) || requests === 0) continue;
      const name = `${phase}\n${operation}`;
      const series = bySeries.get(name) ?? new Map<number, Cell>();
      bySeries.set(name, series);
      const { at } = second;
      const known = series.get(at) ?? { requests: 0, failed: 0, kinds: NO_KINDS, wellTenths: [] };
      const kinds = Object.keys(failures).length > 0 ? new Map(known.kinds) : known.kinds;
      let failed = 0;
      for (const [kind, count] of Object.entries(failures)) {
        failed += count;
        const before = kinds.get(kind) ?? { count: 0, span: null };
        const span = joined(before.span, within(at, failedAt[kind]));
        (kinds as Map<string, Failed>).set(kind, { count: before.count + count, span });
      }
      const wellTenths = addedTenths(known.wellTenths, tenthsOf(wellOffsets));
      series.set(at, {
        ...{ phase, operation, at, kinds, wellTenths },
        requests: known.requests + requests,
        failed: known.failed + failed,
      });
    }
  return [...bySeries.values()].flatMap((series) => [...series.values()]).sort((a, b) => a.at - b.at);
}

const TENTHS = 10;
const TENTH_MS = 100;

function tenthsOf(offsets: string): number[] {
  if (offsets === '') return [];
  const tenths = Array.from({ length: TENTHS }, () => 0);
  for (const { value, count } of new SparseHistogram(offsets).buckets)
    tenths[Math.min(TENTHS - 1, Math.floor(value / TENTH_MS))] = count;
  return tenths;
}

export const addedTenths = (one: readonly number[], other: readonly number[]): readonly number[] =>
  one.length === 0
    ? other
    : other.length === 0
      ? one
      : one.map((count, index) => count + (other[index] ?? 0));

/**
 * Older runs recorded when a failure ended, not when it began.
 *
 * @returns the span if it is within the second; otherwise the whole second
 */
function within(at: number, [firstMs, lastMs]: readonly [number, number] | [] = []): Span {
  const [fromMs, toMs] = [at * 1000, at * 1000 + 999];
  return firstMs !== undefined && lastMs !== undefined && firstMs >= fromMs && lastMs <= toMs
    ? [firstMs, lastMs]
    : [fromMs, toMs];
}

/** @returns the cell's failures of this kind */
export function failedIn({ kinds, failed }: Cell, kind: string | null): Failed {
  if (kind !== null) return kinds.get(kind) ?? { count: 0, span: null };
  return {
    count: failed,
    span: [...kinds.values()].reduce<Span>((span, one) => joined(span, one.span), null),
  };
}

/** Adds the cell's failures of this kind and its successes. */
export function addCell(sum: Sum, cell: Cell, kind: string | null) {
  sum.failed += kind === null ? cell.failed : (cell.kinds.get(kind)?.count ?? 0);
  sum.well += cell.requests - cell.failed;
}

/** @returns the sum over all cells */
export function sumOf({ cells, kind }: Stratum): Sum {
  const sum = { failed: 0, well: 0 };
  for (const cell of cells) addCell(sum, cell, kind);
  return sum;
}

/** @param keyOf returns undefined to skip a cell @returns the sums by key */
export function sumsBy<Key>({ cells, kind }: Stratum, keyOf: (cell: Cell) => Key | undefined): Map<Key, Sum> {
  const sums = new Map<Key, Sum>();
  for (const cell of cells) {
    const key = keyOf(cell);
    if (key === undefined) continue;
    const sum = sums.get(key) ?? { failed: 0, well: 0 };
    sums.set(key, sum);
    addCell(sum, cell, kind);
  }
  return sums;
}

export const where = ({ cells, kind }: Stratum, matches: (cell: Cell) => boolean): Stratum => ({
  kind,
  cells: cells.filter(matches),
});

/** @returns the cells without the failures and requests of this kind */
export const withoutKind = (cells: readonly Cell[], kind: string): readonly Cell[] =>
  cells.map((cell) => {
    const removed = cell.kinds.get(kind);
    if (!removed) return cell;
    const kinds = new Map([...cell.kinds].filter(([name]) => name !== kind));
    return { ...cell, kinds, failed: cell.failed - removed.count, requests: cell.requests - removed.count };
  });
