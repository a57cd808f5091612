import type { Latencies } from './latencies.ts';
import type { Part } from './measured.ts';
import type { SparseHistogram } from './sparse-histogram.ts';
import type { Latency, Scope } from './summary.ts';

export interface Opening {
  /** Of the latencies, added up, milliseconds. */
  parts: Record<Part, number>;
  /** Of each call, from the wish to call until there was a connection. */
  untilConnected: SparseHistogram;
  /** Connections that the server closed after its answer. */
  closed: number;
  /** Requests less than a second after their client's last answer. */
  followUps: number;
}

/** What a run measured, as the analysis asks for it: by the name of a metric, and by tags. Without a sample a count is 0. */
export interface Metrics {
  /** @param name of a Counter or Trend */
  count(name: string, scope?: Scope & { scenario?: string }): number;
  /**
   * @param scope except: of all operations but this one
   * @param name of a Trend, by default the latency of calls, in milliseconds
   * @returns latency: null if there are no values
   */
  latency(scope: Scope & { except?: string }, name?: string): { count: number; latency: Latency | null };
  /** Latencies of calls by outcome; absent: nobody has them. */
  latencies?(scope: Scope): Latencies;
  /** How calls got their connections. */
  opening?(scope: Scope): Opening;
  /** Iterations of a phase that were finished after its end. */
  late?(scope: Scope): number;
  /** Unix time in milliseconds at which the first call began that k6 interrupted; null: there is none. */
  interruptedSince?(scope: Scope): number | null;
  /** Requests judged as failed or not. */
  failed(scope: Scope): { failed: number; total: number };
  /** @param limit milliseconds, of an objective @returns calls that were not answered within it; null: nobody counted them, or not all */
  slow(scope: Scope, limit: number): number | null;
  /** Failures by kind, those that happened, in a fixed order. */
  failures(scope: Scope): Record<string, number>;
  /** @param name of a Gauge @returns both 0 without a sample */
  gauge(name: string, tags?: Scope & { kind?: string }): { min: number; max: number };
  /** As k6 judged them, sorted. */
  thresholds(): K6Threshold[];
}

export interface K6Threshold {
  metric: string;
  expression: string;
  /** null: k6 lets one pass that has no samples. */
  ok: boolean | null;
  /** Why it is null. */
  doubt: string | null;
  values: Record<string, number | null>;
}
