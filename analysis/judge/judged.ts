import type { Scope } from '../collect/groups.ts';
import { round } from '../round.ts';
import { OPERATORS } from './operators.ts';
import type { Threshold } from './threshold.ts';

/**
 * A threshold that a test judges itself, based on several phases. Its outcome is `invalid` without an
 * observed value.
 */
export function judged({
  scope,
  metric,
  op,
  limit,
  observed,
  samples,
  what,
  format,
  proof,
}: {
  scope: Scope;
  /** The name ends with the unit. */
  metric: string;
  op: '<' | '<=' | '>' | '>=';
  limit: number;
  /** null if unknown. */
  observed: number | null;
  /** Number of samples that `observed` is based on. */
  samples: number;
  /** Subject of the sentence, for example `list_proxy_hosts p95 (median of 3)`. */
  what: string;
  format: (value: number) => string;
  /** See Threshold. */
  proof?: true;
}): Threshold {
  const holds = observed === null ? null : (OPERATORS[op]?.(observed, limit) ?? null);
  const bound = `objective ${op} ${format(limit)}`;
  const reason =
    observed === null
      ? `${what} could not be judged: no samples`
      : holds
        ? null
        : `${what} was ${format(observed)}, ${bound} (${samples} samples)`;
  return {
    scope,
    metric,
    expression: `${metric} ${op} ${limit}`,
    op,
    limit,
    relative_to: null,
    observed: observed === null ? null : round(observed, 6),
    samples,
    ok: holds,
    outcome: holds === null ? 'invalid' : holds ? 'pass' : 'fail',
    reason,
    k6: null,
    disputed: false,
    ...(proof && { proof }),
  };
}
