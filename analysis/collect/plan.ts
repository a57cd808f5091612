/** The plan of a test, as its script has it: phases, operations, objectives. */
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
  overload?: boolean;
  /** The only operation that the phase calls. */
  operation?: string;
  /** Of 100, of the plan's operations, where the phase has a mix of its own. */
  weights?: number[];
  labels?: Record<string, string | number>;
  /** Of a step: calls before the measured ones. */
  warm_ups?: number;
}

export interface Objective {
  scope: Scope;
  metric: string;
  op: '<' | '<=' | '>' | '>=';
  limit: number;
  /** With fewer, of a relative objective on either side, it does not hold. */
  min_samples?: number;
  relative_to?: { phase: string };
  k6?: { metric: string; expression: string };
  /** The k6 threshold that fails with fewer samples than `min_samples`. */
  guard?: { metric: string; expression: string };
  /** Samples that the planned load makes; absent: as many as its users can. */
  expected_samples?: number;
  /** The default's metric, for which there are too few samples. */
  instead_of?: string;
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
  /** Replaces TRUST.maxOtherCpu. */
  other_cpu_limit?: number;
  reference_machine: { cores: number; memory_bytes: number } | null;
  /** What the test is in the next longer profile; absent: it is the same, there is none, or it takes several k6 runs. */
  longer?: Longer;
  /** Its phases are steps, each of which began when the one before had ended. */
  sequence?: boolean;
}

/** peak_rps: null in a test without arrival rates; users: the most at a time. */
export type Longer = { profile: string; peak_rps: number | null; users: number; duration_s: number };

const validate = validator('plan.schema.json');

/** @returns the first thing that is wrong with it, null = a plan */
export const validatePlan = (plan: unknown): string | null => validate(plan);

interface Inspected {
  ext?: Record<string, unknown>;
}

/**
 * @param document what `k6 inspect` says of a test, which has the plan among its options
 * @returns without secrets
 * @throws {Error} where it has none
 */
export function planOf(document: unknown): Plan {
  const plan = (document as Inspected | null)?.ext?.['mcp-load-lab'];
  const problem = validatePlan(plan);
  if (problem) throw new Error(`there is no plan of a test: ${problem}`);
  return cleanDeep(plan as Plan, secretsOf(process.env));
}
