/** The tables that only one test has, in the form that its benchmark document has them: `scenarios/NAME/table.ts`. */
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

/** ratio: 0 to 1, shown in percent; factor: shown as `1.5 x`. */
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

/** null: no figure. */
export type Cell = string | number | null;

/** @returns null: a part or the whole is missing, or the whole is 0 */
export const ratio = (part: number | null, whole: number | null | undefined): number | null =>
  part === null || !whole ? null : part / whole;

/** A column, and what it shows of a row. */
export interface Column<Row> {
  name: string;
  unit: ColumnUnit;
  of: (row: Row) => Cell;
}

/** As `run.json` has it. */
export interface ReportTable {
  title: string;
  columns: { name: string; unit: ColumnUnit }[];
  rows: Cell[][];
  /** Below the table, a sentence each. */
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

/** What a table is made of. `R`: the result of the test's `trials.ts`. */
export interface Facts<R = unknown> {
  plan: Plan;
  /** Of all trials. */
  phases: Phase[];
  operations: Operation[];
  signals: Signal[];
  /** Of the plan, and k6's own. */
  thresholds: Threshold[];
  /** What all trials measured. */
  groups: readonly Group[];
  environment: Environment;
  /** null: the test is one k6 run. */
  trials: Trials<R> | null;
  /** That clients held, of each k6 run that has any. */
  streams: readonly Streams[];
  /** Of the counters that the table asks for. */
  increases: Increases;
  /** The seconds of each trial, by its name; of a single k6 run by ''. */
  seconds: ReadonlyMap<string, readonly Line[]>;
}

export interface Built {
  tables: ReportTable[];
  /** Thresholds that count for the verdict. */
  thresholds?: Threshold[];
  findings?: Finding[];
  /** To leave in the results folder, by name. */
  files?: Record<string, string>;
}

/** What a `table.ts` exports. */
export interface TableModule {
  // biome-ignore lint/suspicious/noExplicitAny: each test has a result of its own.
  default: (facts: Facts<any>) => Built;
  /** What it asks Prometheus for. */
  countersOf?: (facts: Pick<Facts, 'phases' | 'trials'>) => Counter[];
}

/** @returns null: the test has no tables of its own */
export async function tableModuleOf(test: string): Promise<TableModule | null> {
  const file = partOf(test, 'table');
  return file ? await import(file) : null;
}

const NOTHING = { tables: [], thresholds: [], findings: [], files: {} };

export const makeTables = (module: TableModule | null, facts: Facts): Required<Built> =>
  module ? { ...NOTHING, ...module.default(facts) } : NOTHING;
