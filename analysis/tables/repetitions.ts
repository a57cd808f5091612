/** Medians over repeated phases. */

import type { Phase } from '../judge/phases.ts';
import { medianOf } from '../statistics/interval.ts';

/** The repetitions of one phase. */
export type Repeated = { name: string; labels: Record<string, string>; phases: Phase[] };

/** Minimum number of calls for a percentile; with fewer, it is the slowest call. */
const MIN_CALLS = { p50: 3, p95: 20, p99: 100 };

/** @returns the measured repetitions, in order */
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

/** @returns null if no repetition has the figure */
export function median({ phases }: Repeated, figure: (phase: Phase) => number | null): number | null {
  const values = phases.map(figure).filter((value) => value !== null);
  return values.length > 0 ? medianOf(values) : null;
}

/** @returns null if no repetition has enough calls */
export function medianLatency(repeated: Repeated, percentile: 'p50' | 'p95' | 'p99'): number | null {
  return median(repeated, ({ answered, latency_ms: latency }) =>
    latency && (answered ?? 0) >= MIN_CALLS[percentile] ? latency[percentile] : null,
  );
}

/** @returns the longest latency of all repetitions */
export function slowest({ phases }: Repeated): number | null {
  const values = phases.flatMap(({ latency_ms: latency }) => latency?.max ?? []);
  return values.length > 0 ? Math.max(...values) : null;
}

export function total({ phases }: Repeated, figure: (phase: Phase) => number | null) {
  return phases.reduce((sum, phase) => sum + (figure(phase) ?? 0), 0);
}
