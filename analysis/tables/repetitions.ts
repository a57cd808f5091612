/** What a test was repeated for: the median of its repetitions. */

import type { Phase } from '../judge/phases.ts';
import { medianOf } from '../statistics/interval.ts';

/** The repetitions of one phase. */
export type Repeated = { name: string; labels: Record<string, string>; phases: Phase[] };

/** A percentile needs so many calls to be more than the slowest of them. */
const LEAST = { p50: 3, p95: 20, p99: 100 };

/** @returns those that are measured, in their order */
export function repetitions(phases: Phase[]): Repeated[] {
  const all: Map<string, Repeated> = new Map();
  for (const phase of phases) {
    if (!phase.measured) continue;
    const { repetition, ...labels } = phase.labels;
    const name =
      repetition === undefined ? phase.name : phase.name.replace(new RegExp(`-${repetition}$`), '');
    const known = all.get(name);
    if (known) known.phases.push(phase);
    else all.set(name, { name, labels, phases: [phase] });
  }
  return [...all.values()];
}

/** @returns null: no repetition has it */
export function median({ phases }: Repeated, figure: (phase: Phase) => number | null): number | null {
  const values = phases.map(figure).filter((value) => value !== null);
  return values.length > 0 ? medianOf(values) : null;
}

/** @returns null: no repetition has calls enough */
export function medianLatency(repeated: Repeated, percentile: 'p50' | 'p95' | 'p99'): number | null {
  return median(repeated, ({ answered, latency_ms: latency }) =>
    latency && (answered ?? 0) >= LEAST[percentile] ? latency[percentile] : null,
  );
}

/** @returns of all repetitions */
export function slowest({ phases }: Repeated): number | null {
  const values = phases.flatMap(({ latency_ms: latency }) => latency?.max ?? []);
  return values.length > 0 ? Math.max(...values) : null;
}

export function total({ phases }: Repeated, figure: (phase: Phase) => number | null) {
  return phases.reduce((sum, phase) => sum + (figure(phase) ?? 0), 0);
}
