import type { Scope } from '../collect/groups.ts';
import type { Culprit } from './culprit.ts';

/** The result of an objective, or of a threshold of k6's own. */
export interface Threshold {
  /** {} = the whole run. */
  scope: Scope;
  /** Metric of the objective; for a threshold without an objective, k6's metric. */
  metric: string;
  expression: string;
  op: string | null;
  limit: number | null;
  /** The phase that the observed value is relative to. */
  relative_to: string | null;
  observed: number | null;
  /** The observed value is a lower bound, because too few calls were answered. */
  at_least?: true;
  /** Number of samples that the observed value is based on. */
  samples: number;
  /** null if it could not be judged. */
  ok: boolean | null;
  /**
   * `invalid`: too few samples, so the run cannot pass. `unjudged`: too few samples, but the run can pass.
   */
  outcome: 'pass' | 'fail' | 'invalid' | 'unjudged';
  /** Why the threshold did not pass. */
  reason: string | null;
  /** k6's own result. */
  k6: { metric: string; expression: string; ok: boolean | null } | null;
  /** k6 and this analysis disagree. */
  disputed: boolean;
  /** The operation that explains a miss; absent if there is none. */
  culprit?: Culprit;
  /** The miss does not depend on the load generator, so it takes precedence over any doubt about it. */
  proof?: true;
  /** The miss may be chance: with more samples, the objective may hold. */
  may_be_chance?: true;
  /** The threshold is invalid because of the load generator, which may also have caused other misses. */
  by_generator?: true;
}
