/** What failed, by phase, operation, kind and the second in which it began. */
import type { Line } from '../../collect/seconds.ts';
import type { Phase } from '../../judge/phases.ts';

/** Of one kind. */
export interface Failed {
  count: number;
  /** When the first and the last of them began, Unix times in milliseconds. */
  firstMs: number;
  lastMs: number;
}

/** What began in one second of one phase. */
export interface Cell {
  phase: string;
  operation: string;
  /** Unix time. */
  at: number;
  requests: number;
  kinds: Map<string, Failed>;
}

/** Cells of which failures of one kind count, or of each. */
export interface Stratum {
  /** null: all. */
  kind: string | null;
  cells: readonly Cell[];
}

export const NONE: Failed = {
  count: 0,
  firstMs: Number.POSITIVE_INFINITY,
  lastMs: Number.NEGATIVE_INFINITY,
};

const join = (one: Failed, other: Failed): Failed => ({
  count: one.count + other.count,
  firstMs: Math.min(one.firstMs, other.firstMs),
  lastMs: Math.max(one.lastMs, other.lastMs),
});

/** @returns of the measured phases, in order of time */
export function cellsOf(lines: readonly Line[], phases: readonly Phase[]): Cell[] {
  const measured = new Set(phases.filter((phase) => phase.measured).map(({ name }) => name));
  const found = new Map<string, Cell>();
  for (const { second, groups } of lines)
    for (const [number, { requests = 0, failures = {}, failedAt = {} }] of Object.entries(
      second.groups ?? {},
    )) {
      const { phase = '', operation = '' } = groups.get(number) ?? {};
      if (!measured.has(phase) || requests === 0) continue;
      const key = JSON.stringify([second.at, phase, operation]);
      const cell = found.get(key) ?? { phase, operation, at: second.at, requests: 0, kinds: new Map() };
      found.set(key, cell);
      cell.requests += requests;
      for (const [kind, count] of Object.entries(failures)) {
        const [firstMs, lastMs] = within(second.at * 1000, failedAt[kind]);
        cell.kinds.set(kind, join(cell.kinds.get(kind) ?? NONE, { count, firstMs, lastMs }));
      }
    }
  return [...found.values()].sort((a, b) => a.at - b.at);
}

/** In older runs a failure's time is that of its end. @returns times in the second that begins then; else all of it */
function within(fromMs: number, [firstMs, lastMs] = [Number.NaN, Number.NaN]): [number, number] {
  const toMs = fromMs + 999;
  return firstMs >= fromMs && lastMs <= toMs ? [firstMs, lastMs] : [fromMs, toMs];
}

/** @returns of a cell, those that count */
export const failedIn = ({ kinds }: Cell, kind: string | null): Failed =>
  kind === null ? [...kinds.values()].reduce(join, NONE) : (kinds.get(kind) ?? NONE);

/** @returns of all its cells */
export function sumOf({ cells, kind }: Stratum): Failed & { requests: number } {
  const failed = cells.map((cell) => failedIn(cell, kind)).reduce(join, NONE);
  return { ...failed, requests: cells.reduce((sum, { requests }) => sum + requests, 0) };
}

export const where = ({ cells, kind }: Stratum, matches: (cell: Cell) => boolean): Stratum => ({
  kind,
  cells: cells.filter(matches),
});
