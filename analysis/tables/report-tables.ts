/**
 * The tables that a test prints beside those of every run, in the form that its benchmark document has them. Each test
 * that has any builds them in a file of its own, `tables/<test>.ts`; so a new test's table touches no other file.
 */
import { existsSync } from 'node:fs';
import type { Environment } from '../collect/environment.ts';
import type { Group } from '../collect/groups.ts';
import type { Counter, Increases } from '../collect/increases.ts';
import type { Plan } from '../collect/plan.ts';
import type { Line } from '../collect/seconds.ts';
import type { Signal } from '../collect/signals.ts';
import type { Trials } from '../collect/trials.ts';
import type { Finding } from '../findings/findings.ts';
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

export type Column = { name: string; unit: ColumnUnit };

export interface ReportTable {
  title: string;
  columns: Column[];
  /** null: no figure. */
  rows: (string | number | null)[][];
  /** Below the table, a sentence each. */
  notes: string[];
}

/** What a table is made of. */
export interface Facts {
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
  trials: Trials | null;
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

/** A file of `tables/`. */
export interface TableModule {
  default: (facts: Facts) => Built;
  /** What it asks Prometheus for. */
  countersOf?: (facts: Pick<Facts, 'phases' | 'trials'>) => Counter[];
}

/** @returns null: the test has no tables of its own */
export async function tableModuleOf(test: string): Promise<TableModule | null> {
  // The name comes from a document, and is to be a file's.
  if (!/^[a-z][a-z0-9-]*$/.test(test)) return null;
  const file = new URL(`${test}.ts`, import.meta.url);
  if (!existsSync(file)) return null;
  const module = await import(file.href);
  // Not each file here is a test's.
  return typeof module.default === 'function' ? module : null;
}

const NOTHING = { tables: [], thresholds: [], findings: [], files: {} };

export const makeTables = (module: TableModule | null, facts: Facts): Required<Built> =>
  module ? { ...NOTHING, ...module.default(facts) } : NOTHING;
