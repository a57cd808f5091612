import { failedAt, type Group } from '../collect/groups.ts';
import { round } from '../round.ts';
import type { Phase } from './phases.ts';

/** All failures of one kind in the measured phases. */
export interface Failure {
  kind: string;
  count: number;
  /** ISO 8601 time. */
  first: string | null;
  last: string | null;
  /** Seconds since the start of the run. */
  first_s: number | null;
  last_s: number | null;
  first_phase: string | null;
  /** An example of the error message, from k6's log. */
  sample: string | null;
}

/**
 * @param groups groups of all k6 runs
 * @param zeroMs Unix time of the run's start, milliseconds
 * @param samples error messages by kind
 * @returns failures by descending frequency
 */
export function failures(
  groups: readonly Group[],
  zeroMs: number,
  phases: Phase[],
  samples: Record<string, string>,
): Failure[] {
  const counts: Record<string, number> = {};
  for (const phase of phases) {
    for (const [kind, count] of Object.entries(phase.failures ?? {}))
      counts[kind] = (counts[kind] ?? 0) + count;
  }
  return Object.entries(counts)
    .map(([kind, count]) => {
      const [firstMs, lastMs] = failedAt(groups, kind) ?? [null, null];
      return {
        kind,
        count,
        first: firstMs === null ? null : new Date(firstMs).toISOString(),
        last: lastMs === null ? null : new Date(lastMs).toISOString(),
        first_s: firstMs === null ? null : round((firstMs - zeroMs) / 1000),
        last_s: lastMs === null ? null : round((lastMs - zeroMs) / 1000),
        first_phase: firstMs === null ? null : firstPhase(kind, firstMs, phases),
        sample: samples[kind] ?? null,
      };
    })
    .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
}

/**
 * @param ms Unix time, milliseconds
 * @returns the last phase that had begun by then and has such failures: a request that is answered after
 *   the end of its phase still belongs to it
 */
function firstPhase(kind: string, ms: number, phases: Phase[]): string | null {
  const begun = phases.findLast(
    ({ start, failures: its }) => start !== null && Date.parse(start) <= ms && its?.[kind],
  );
  return begun?.name ?? null;
}
