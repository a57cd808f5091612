/** The plan of a test as its script exports it: phases, operations, objectives. */
import { cleanDeep, secretsOf } from '../clean-text.ts';
import { validator } from '../schemas.ts';
import type { Scope } from './groups.ts';

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
  /** Streams that clients hold during the phase. */
  streams?: number;
  overload?: boolean;
  /** The only operation that the phase calls. */
  operation?: string;
  /** Weights of the plan's operations, out of 100, if the phase has its own mix. */
  weights?: number[];
  labels?: Record<string, string | number>;
  /** In a step: calls before the measured ones. */
  warm_ups?: number;
}

export interface Objective {
  scope: Scope;
  metric: string;
  op: '<' | '<=' | '>' | '>=';
  limit: number;
  /**
   * Minimum number of samples, on both sides of a relative objective; with fewer, the objective cannot pass.
   */
  min_samples?: number;
  relative_to?: { phase: string };
  k6?: { metric: string; expression: string };
  /** The k6 threshold that fails with fewer samples than `min_samples`. */
  guard?: { metric: string; expression: string };
  /** Number of samples of the planned load; absent in a closed model. */
  expected_samples?: number;
  /** The default metric, which this one replaces because the load makes too few samples for it. */
  instead_of?: string;
}

/** Size of the complete lists of a server. */
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
  /**
   * Operations that discovery found but the test does not call; failed: how the server failed when discovery
   * tried it.
   */
  left_out?: { operation: string; reason: string; failed?: string; add?: string }[];
  /** In the measured phases; null in a closed model without pauses. */
  expected_requests?: number | null;
  objectives: Objective[];
  objectives_off: boolean;
  /** The objectives are the limits of the benchmark documents; false: they apply to every server. */
  documents?: boolean;
  /** Replaces TRUST.maxOtherCpu. */
  other_cpu_limit?: number;
  reference_machine: { cores: number; memory_bytes: number } | null;
  /**
   * The test in the next longer profile; absent if it is the same, if there is none, or if it consists of
   * several k6 runs.
   */
  longer?: Longer;
  /** The phases are steps, each of which begins after the end of the previous one. */
  sequence?: boolean;
}

/** peak_rps: null in a test without arrival rates; users: maximum number at a time. */
export type Longer = { profile: string; peak_rps: number | null; users: number; duration_s: number };

const validate = validator('plan.schema.json');

/** @returns the first error; null if the document is a plan */
export const validatePlan = (plan: unknown): string | null => validate(plan);

interface Inspected {
  ext?: Record<string, unknown>;
}

/**
 * @param document output of `k6 inspect`, whose options contain the plan
 * @returns the plan without secrets
 * @throws {Error} if there is no plan
 */
export function planOf(document: unknown): Plan {
  const plan = (document as Inspected | null)?.ext?.['mcp-load-lab'];
  const problem = validatePlan(plan);
  if (problem) throw new Error(`there is no valid test plan: ${problem}`);
  return cleanDeep(plan as Plan, secretsOf(process.env));
}
