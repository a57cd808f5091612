import type { Latency, Scope } from './summary.js';

/** What a run measured, as the analysis asks for it: by the name of a metric, and by tags. Without a sample a count is 0. */
export interface Metrics {
  /** @param name of a Counter or Trend */
  count(name: string, scope?: Scope & { scenario?: string }): number;
  /**
   * @param scope except: of all operations but this one
   * @param name of a Trend, by default that of answered requests, in milliseconds
   * @returns latency: null if there are no values
   */
  latency(scope: Scope & { except?: string }, name?: string): { count: number; latency: Latency | null };
  /** Requests judged as failed or not. */
  failed(scope: Scope): { failed: number; total: number };
  /** @param limit milliseconds, of an objective @returns answered requests that took so long or longer; null: nobody counted them, or not all */
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
