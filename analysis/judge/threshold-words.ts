/** Names of thresholds in sentences, and the format of their figures. */
import { milliseconds, number, percent, perSecond } from '../../contract/units.js';
import type { Scope } from '../collect/groups.ts';
import { LATENCY } from './figure.ts';
import type { Threshold } from './threshold.ts';

const WORDS = {
  ...Object.fromEntries(
    Object.entries(LATENCY).map(([metric, figure]) => [
      metric,
      { name: figure.replace('p999', 'p99.9'), format: milliseconds },
    ]),
  ),
  sequence_p99_ms: { name: 'p99 of all its calls together', format: milliseconds },
  failure_rate: { name: 'failure rate', format: percent },
  throughput: { name: 'throughput', format: perSecond },
  delivered_share: { name: 'delivered load', format: percent },
  median_p95_ms: { name: 'p95 (median)', format: milliseconds },
  success_share: { name: 'success', format: percent },
  refused_share: { name: 'refusals', format: percent },
  recovery_s: { name: 'time to recover', format: (value) => `${number(value)} s` },
  back_to_baseline: { name: 'as before', format: (value) => (value ? 'yes' : 'no') },
} as Record<string, { name: string; format: (value: number, digits?: number) => string }>;

/** @param metric from a document, so it may be the name of an Object.prototype member */
const hasWords = (metric: string) => Object.hasOwn(WORDS, metric);

export function wordsOf(metric: string): {
  name: string;
  format: (value: number, digits?: number) => string;
} {
  return (hasWords(metric) && WORDS[metric]) || { name: metric, format: number };
}

export function scopeName({ phase, operation, class: kind }: Scope): string {
  if (phase !== undefined) return phase;
  if (operation !== undefined) return operation;
  return kind === undefined ? 'the whole run' : `class ${kind}`;
}

/** @returns for example `baseline p99 < 85 ms` */
export function thresholdName({
  scope,
  metric,
  expression,
  op,
  limit,
  relative_to,
  k6,
}: Pick<Threshold, 'scope' | 'metric' | 'expression' | 'op' | 'limit' | 'relative_to' | 'k6'>): string {
  if (op === null || limit === null || !hasWords(metric)) return `${k6?.metric ?? metric} ${expression}`;
  const { name, format } = wordsOf(metric);
  const bound = relative_to === null ? format(limit) : `${number(limit)} x ${relative_to}`;
  return `${scopeName(scope)} ${name} ${op} ${bound}`;
}
