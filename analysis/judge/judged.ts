import type { Scope } from '../collect/groups.ts';
import { round } from '../round.ts';
import { OPERATORS } from './operators.ts';
import type { Threshold } from './threshold.ts';

/** An objective that a test judges by itself, from more than one phase's figures. @returns invalid without a figure */
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
  /** With its unit in the name. */
  metric: string;
  op: '<' | '<=' | '>' | '>=';
  limit: number;
  /** null: not known. */
  observed: number | null;
  /** Samples that `observed` comes from. */
  samples: number;
  /** For the sentence, for example `list_proxy_hosts p95 (median of 3)`. */
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
