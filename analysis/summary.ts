/** Reads what a k6 run left: measured.json of the output lab. */
import { cleanText } from './clean-text.ts';
import { type Abort, abortOf, hasMeasured, type Measured, readMeasured, withServer } from './measured.ts';
import { MeasuredMetrics } from './measured-metrics.ts';
import type { Metrics } from './metrics.ts';
import { validator } from './schemas.ts';

export interface PlannedPhase {
  name: string;
  measured: boolean;
  /** Seconds after `started_ms`. */
  start_s: number;
  duration_s: number;
  offered_rps?: number | null;
  vus?: number | null;
  max_vus?: number | null;
  iterations?: number | null;
  overload?: boolean;
  /** The only operation that the phase calls. */
  operation?: string;
  /** Of 100, of the plan's operations, where the phase has a mix of its own. */
  weights?: number[];
  labels?: Record<string, string | number>;
  /** Of a step: calls before the measured ones. */
  warm_ups?: number;
}

/** {} = the whole run. */
export type Scope = { phase?: string; operation?: string; class?: string };

export interface Objective {
  scope: Scope;
  metric: string;
  op: '<' | '<=' | '>' | '>=';
  limit: number;
  /** With fewer, of a relative objective on either side, it is not judged. */
  min_samples?: number;
  relative_to?: { phase: string };
  k6?: { metric: string; expression: string };
}

/** Of all that a server offers. */
export type Listing = { calls: number; bytes: number; tools_bytes: number; ttl_ms: number };

export interface Plan {
  testid: string;
  test: string;
  title?: string;
  profile: string;
  workload: string;
  target: {
    url: string;
    confirm?: string;
    era?: string | null;
    dialect?: string | null;
    protocol_version?: string | null;
    server?: { name?: string | null; version?: string | null } | null;
    listing?: Listing;
  };
  phases: PlannedPhase[];
  operations: { operation: string; method: string; class: string; share?: number; example?: unknown }[];
  /** What discovery found and the test does not call; failed: how the server failed when it was tried. */
  left_out?: { operation: string; reason: string; failed?: string; add?: string }[];
  /** Of the measured phases; null: as many as users without a pause can make. */
  expected_requests?: number | null;
  objectives: Objective[];
  objectives_off: boolean;
  /** The objectives are the limits of the benchmark documents; false: what every server owes. */
  documents?: boolean;
  /** See OTHER_CPU_LIMIT in trust-rules.ts. */
  other_cpu_limit?: number;
  reference_machine: { cores: number; memory_bytes: number } | null;
  /** What the test is in the next longer profile; absent: it is the same, there is none, or it takes several k6 runs. */
  longer?: Longer;
  /** Its phases are steps, each of which began when the one before had ended. */
  sequence?: boolean;
}

/** peak_rps: null in a test without arrival rates; users: the most at a time. */
export type Longer = { profile: string; peak_rps: number | null; users: number; duration_s: number };

export interface Summary {
  plan: Plan;
  /** Unix time of the phases' zero; null: the run ended in set-up. */
  startedMs: number | null;
  /** Seconds from the phases' zero to the end of the whole run. */
  ranS: number;
  metrics: Metrics;
}

/** Milliseconds. */
export interface Latency {
  min: number;
  avg: number;
  p50: number;
  p75: number;
  p90: number;
  p95: number;
  p99: number;
  p999: number;
  max: number;
  /** Lower bounds: calls without an answer count with the time that they waited. */
  at_least?: ('min' | 'avg' | 'p50' | 'p75' | 'p90' | 'p95' | 'p99' | 'p999' | 'max')[];
}

const validate = validator('plan.schema.json');

/** @param directory a run's results @returns the problem is one plain line; abort: why the script ended its test; measured: of a summary */
export function readSummary(directory: string): (
  | { summary: Summary; problem: null }
  | { summary: null; problem: string }
) & {
  abort?: Abort | null;
  measured?: Measured;
} {
  const failed = (problem: string) => ({ summary: null, problem: cleanText(problem, []) });
  if (!hasMeasured(directory)) return failed('k6 left no measured.json');
  const measured = readMeasured(directory);
  if (!measured) return failed('measured.json is not a mcp-load-lab/measured/2 document');
  const { plan, began, ended } = measured;
  const abort = abortOf(measured.end);
  const problem = validatePlan(plan);
  if (problem) return { ...failed(`measured.json has no plan of a test: ${problem}`), abort };
  const metrics = new MeasuredMetrics([measured]);
  const startedMs = Math.round(metrics.gauge('mcp_started_seconds').min * 1000);
  return {
    summary: {
      plan: withServer(plan as Plan, measured),
      startedMs: startedMs || null,
      ranS: (ended - (startedMs || began)) / 1000,
      metrics,
    },
    problem: null,
    abort,
    measured,
  };
}

/** @returns the first thing that is wrong with it, null = a plan */
export const validatePlan = (plan: unknown): string | null => validate(plan);
