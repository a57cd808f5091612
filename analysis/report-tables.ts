/**
 * The tables that a test prints beside those of every run, in the form that its benchmark document has them. Each test
 * that has any builds them in a file of its own, `tables/<test>.ts`; so a new test's table touches no other file.
 */
import { existsSync } from 'node:fs';
import type { Environment } from './environment.ts';
import type { Finding } from './findings.ts';
import type { Legs } from './legs.ts';
import type { Metrics } from './metrics.ts';
import { note } from './note.ts';
import type { Operation } from './operations.ts';
import type { Phase } from './phases.ts';
import type { Signal } from './signals.ts';
import type { Plan } from './summary.ts';
import type { Threshold } from './thresholds.ts';

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
  /** Of all legs. */
  phases: Phase[];
  operations: Operation[];
  signals: Signal[];
  /** Of all legs, by phase. */
  metrics: Metrics;
  environment: Environment;
  /** null: the test is one k6 run. */
  legs: Legs | null;
  /** Of a Prometheus counter, summed over its series, from the phase's start to its end; null: not known. */
  increase: (selector: string, phase: Phase) => Promise<number | null>;
  /** Of a leg. */
  seconds: (leg: string) => ReturnType<typeof import('./seconds.ts').secondsOf>;
  /** Makes a finding. */
  note: typeof note;
}

export interface Built {
  tables: ReportTable[];
  /** Thresholds that count for the verdict. */
  thresholds?: Threshold[];
  findings?: Finding[];
  /** To leave in the results folder, by name. */
  files?: Record<string, string>;
}

export type TableBuilder = (facts: Facts) => Built | Promise<Built>;

export async function makeTables(facts: Omit<Facts, 'note'>): Promise<Required<Built>> {
  const none = { tables: [], thresholds: [], findings: [], files: {} };
  // The name is a test's, and with it a file's: it comes from a document.
  if (!/^[a-z][a-z0-9-]*$/.test(facts.plan.test)) return none;
  const file = new URL(`tables/${facts.plan.test}.ts`, import.meta.url);
  if (!existsSync(file)) return none;
  const { default: build }: { default: TableBuilder } = await import(file.href);
  return { ...none, ...(await build({ ...facts, note })) };
}
