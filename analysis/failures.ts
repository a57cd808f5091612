import type { Phase } from './phases.ts';
import { round } from './round.ts';
import type { Summary } from './summary.ts';

/** All failures of one kind in the measured phases. */
export interface Failure {
  kind: string;
  count: number;
  /** ISO time. */
  first: string | null;
  last: string | null;
  /** Seconds into the run. */
  first_s: number | null;
  last_s: number | null;
  first_phase: string | null;
  /** One of them in words, from k6's log. */
  sample: string | null;
}

/**
 * @param runs one, or each leg's, in their order
 * @param phases of all of them
 * @param samples by kind
 * @returns most frequent kind first
 */
export function failures(runs: Summary[], phases: Phase[], samples: Record<string, string>): Failure[] {
  const counts: Record<string, number> = {};
  for (const phase of phases) {
    for (const [kind, count] of Object.entries(phase.failures ?? {}))
      counts[kind] = (counts[kind] ?? 0) + count;
  }
  const zeroMs = runs.find(({ startedMs }) => startedMs !== null)?.startedMs ?? 0;
  return Object.entries(counts)
    .map(([kind, count]) => {
      const seen = runs.flatMap((run) => timesOf(run, kind));
      const [firstMs, lastMs] = [Math.min(...seen), Math.max(...seen)];
      const timed = seen.length > 0;
      return {
        kind,
        count,
        first: timed ? new Date(firstMs).toISOString() : null,
        last: timed ? new Date(lastMs).toISOString() : null,
        first_s: timed ? round((firstMs - zeroMs) / 1000) : null,
        last_s: timed ? round((lastMs - zeroMs) / 1000) : null,
        first_phase: timed ? firstPhase(kind, firstMs, phases) : null,
        sample: samples[kind] ?? null,
      };
    })
    .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
}

/** @returns Unix milliseconds of its first and last; [] where it had none */
function timesOf({ startedMs, metrics }: Summary, kind: string): number[] {
  const { min, max } = metrics.gauge('mcp_failure_seconds', { kind });
  return startedMs !== null && max > 0 ? [startedMs + min * 1000, startedMs + max * 1000] : [];
}

/**
 * @param ms Unix time
 * @returns the phase that had begun and has such failures: a request that is answered after its phase's end still belongs to it
 */
function firstPhase(kind: string, ms: number, phases: Phase[]): string | null {
  const begun = phases.findLast(
    ({ start, failures: its }) => start !== null && Date.parse(start) <= ms && its?.[kind],
  );
  return begun?.name ?? null;
}
