import type { Scope } from '../collect/groups.ts';
import type { Culprit } from './culprit.ts';

/** An objective, or a threshold of k6's own, and how it was judged. */
export interface Threshold {
  /** {} = the whole run. */
  scope: Scope;
  /** An objective's, or k6's own name where no objective of the plan is behind it. */
  metric: string;
  expression: string;
  op: string | null;
  limit: number | null;
  /** The phase whose figure the observed value is a multiple of. */
  relative_to: string | null;
  observed: number | null;
  /** The observed value is a lower bound: too few calls were answered to say more. */
  at_least?: true;
  /** Samples that the observed value comes from. */
  samples: number;
  /** null: could not be judged. */
  ok: boolean | null;
  /** `invalid`: too little was measured to hold or to miss it, which no run may pass with; `unjudged`: the same, but a run may. */
  outcome: 'pass' | 'fail' | 'invalid' | 'unjudged';
  /** Why it is anything but a pass. */
  reason: string | null;
  /** k6's own judgement. */
  k6: { metric: string; expression: string; ok: boolean | null } | null;
  /** k6 and this analysis judge it differently. */
  disputed: boolean;
  /** The operation that explains a miss; absent: none does. */
  culprit?: Culprit;
  /** Its miss is true whatever the load generator did: no doubt about the generator outranks it. */
  proof?: true;
  /** Its miss may be chance: the samples can be reconciled with the objective, and more of them may hold it. */
  may_be_chance?: true;
  /** It is invalid because of the load generator: what else was missed may be the generator's doing. */
  by_generator?: true;
}
