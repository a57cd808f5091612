import { OPERATORS } from './operators.js';
import { round } from './round.js';

/**
 * An objective that a test judges by itself, from more than one phase's figures.
 *
 * @param {object} objective
 * @param {import('./summary.js').Scope} objective.scope
 * @param {string} objective.metric with its unit in the name
 * @param {'<' | '<=' | '>' | '>='} objective.op
 * @param {number} objective.limit
 * @param {number | null} objective.observed null: not known
 * @param {number} objective.samples that `observed` comes from
 * @param {string} objective.what for the sentence, for example `list_proxy_hosts p95 (median of 3)`
 * @param {(value: number) => string} objective.format
 * @param {true} [objective.proof] see Threshold
 * @returns {import('./thresholds.js').Threshold} invalid without a figure
 */
export function judged({ scope, metric, op, limit, observed, samples, what, format, proof }) {
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
