/** Tables of a single test, in the form of its benchmark document: `scenarios/NAME/table.ts`. */
import { partOf } from '../../contract/tests.js';
import type { Environment } from '../collect/environment.ts';
import type { Group } from '../collect/groups.ts';
import type { Counter, Increases } from '../collect/increases.ts';
import type { Plan } from '../collect/plan.ts';
import type { Line } from '../collect/seconds.ts';
import type { Signal } from '../collect/signals.ts';
import type { Streams } from '../collect/streams.ts';
import type { Trials } from '../collect/trials.ts';
import type { Finding } from '../findings/finding.ts';
import type { Operation } from '../judge/operations.ts';
import type { Phase } from '../judge/phases.ts';
import type { Threshold } from '../judge/threshold.ts';

/** ratio: 0 to 1, shown as a percentage; factor: shown as `1.5 x`. */
export type ColumnUnit =
  | 'ms'
  | 's'
  | 'us'
  | 'per_s'
  | 'ratio'
  | 'bytes'
  | 'bytes_per_s'
  | 'count'
  | 'factor'
  | 'usd'
  | 'text';

/** null if there is no figure. */
export type Cell = string | number | null;

/** @returns null if a value is missing, or if the whole is 0 */
export const ratio = (part: number | null, whole: number | null | undefined): number | null =>
  part === null || !whole ? null : part / whole;

/** A column, and the cell that it shows for a row. */
export interface Column<Row> {
  name: string;
  unit: ColumnUnit;
  of: (row: Row) => Cell;
}

/** In the format of `run.json`. */
export interface ReportTable {
  title: string;
  columns: { name: string; unit: ColumnUnit }[];
  rows: Cell[][];
  /** Sentences below the table. */
  notes: string[];
}

export const tableOf = <Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  notes: string[] = [],
): ReportTable => ({
  title,
  columns: columns.map(({ name, unit }) => ({ name, unit })),
  rows: rows.map((row) => columns.map(({ of }) => of(row))),
  notes,
});

/** The input of a table. `R`: the result of the test's `trials.ts`. */
export interface Facts<R = unknown> {
  plan: Plan;
  /** Phases of all trials. */
  phases: Phase[];
  operations: Operation[];
  signals: Signal[];
  /** Thresholds of the plan, and k6's own. */
  thresholds: Threshold[];
  /** Measurements of all trials. */
  groups: readonly Group[];
  environment: Environment;
  /** null if the test is a single k6 run. */
  trials: Trials<R> | null;
  /** Streams that clients held, for each k6 run that has any. */
  streams: readonly Streams[];
  /** Increases of the counters that the table needs. */
  increases: Increases;
  /** By trial; the key of a single k6 run is ''. */
  seconds: ReadonlyMap<string, readonly Line[]>;
}

export interface Built {
  tables: ReportTable[];
  /** Thresholds that count for the verdict. */
  thresholds?: Threshold[];
  findings?: Finding[];
  /** Files for the results directory, by name. */
  files?: Record<string, string>;
}

/** The exports of a `table.ts`. */
export interface TableModule {
  // biome-ignore lint/suspicious/noExplicitAny: each test has a result of its own.
  default: (facts: Facts<any>) => Built;
  /** Counters that the table needs from Prometheus. */
  countersOf?: (facts: Pick<Facts, 'phases' | 'trials'>) => Counter[];
}

/** @returns null if the test has no tables of its own */
export async function tableModuleOf(test: string): Promise<TableModule | null> {
  const file = partOf(test, 'table');
  return file ? await import(file) : null;
}

const NOTHING = { tables: [], thresholds: [], findings: [], files: {} };

export const makeTables = (module: TableModule | null, facts: Facts): Required<Built> =>
  module ? { ...NOTHING, ...module.default(facts) } : NOTHING;
