/**
 * Compares iterations with requests. Each iteration that k6 counts ends with one request (a success, or a
 * failure with a kind) or with one result from a cache. Additional requests are counted separately
 * (`mcp_additional_requests`). The remaining iterations either threw an exception that was counted, or are
 * unexplained.
 */

import { counterOf, inScope, total } from '../collect/groups.ts';
import type { PlannedPhase } from '../collect/plan.ts';
import type { Summary } from '../collect/summary.ts';
import type { Phase } from './phases.ts';

/** Counts of one phase. */
export interface Counts {
  /** As counted by k6: iterations that ended, with or without an exception. */
  iterations: number;
  requests: number;
  /** Additional requests, beyond one per iteration. */
  further: number;
  /** Results that needed no request. */
  cached: number;
  exceptions: number;
  /**
   * Maximum number of VUs. Each may have made a request in an iteration that the end of the phase cut off,
   * and k6 does not count such iterations.
   */
  vus: number;
}

interface Reconciled {
  /** Calls: one for each iteration that made a request, or had its result from a cache. */
  calls: number;
  /** Iterations without a request. */
  lost: number;
  /** Lost iterations without an exception. */
  unexplained: number;
  /** Calls without an iteration, beyond those that the end of the phase may have cut off. */
  surplus: number;
}

export function reconcile({ iterations, requests, further, cached, exceptions, vus }: Counts): Reconciled {
  const calls = requests - further + cached;
  const lost = Math.min(iterations, Math.max(0, iterations - calls));
  return {
    calls,
    lost,
    unexplained: Math.max(0, lost - exceptions),
    surplus: Math.max(0, calls - iterations - vus),
  };
}

export function countsOf(
  { name, max_vus, vus }: Pick<PlannedPhase, 'name' | 'max_vus' | 'vus'>,
  { groups, vusMax }: Pick<Summary, 'groups' | 'vusMax'>,
): Counts {
  const own = inScope(groups, { phase: name });
  return {
    // k6 counts a sequence as a single iteration.
    iterations: counterOf(own, 'mcp_step_iterations') || total(own, 'iterations'),
    requests: total(own, 'requests'),
    further: total(own, 'additional'),
    cached: counterOf(own, 'mcp_cache_hits'),
    exceptions: counterOf(own, 'mcp_exceptions'),
    vus: max_vus ?? vus ?? vusMax,
  };
}

type ReconciledPhase = Counts & Reconciled & { phase: string };

export interface Ledger {
  /** Measured phases that took place. */
  phases: ReconciledPhase[];
  /** Over all phases, including the warm-up. */
  iterations: number;
  /** Over all phases, including the warm-up. */
  exceptions: number;
  /** By operation, without operations that had none. */
  exceptionsOf: Record<string, number>;
}

/** @param runs one run, or one for each trial @param phases phases of all runs */
export function ledger(runs: Summary[], phases: Phase[]): Ledger {
  const ran = new Set(phases.filter(({ start }) => start !== null).map(({ name }) => name));
  const all: Ledger = { phases: [], iterations: 0, exceptions: 0, exceptionsOf: {} };
  for (const { plan, groups, vusMax } of runs) {
    let ofPhases = 0;
    for (const planned of plan.phases) {
      // A step that was cut off has no counts.
      if (!planned.measured || !ran.has(planned.name)) continue;
      const counts = countsOf(planned, { groups, vusMax });
      ofPhases += counts.iterations;
      all.phases.push({ phase: planned.name, ...counts, ...reconcile(counts) });
    }
    all.iterations += Math.max(ofPhases, total(groups, 'iterations'));
    all.exceptions += counterOf(groups, 'mcp_exceptions');
    for (const { operation } of plan.operations) {
      const count = counterOf(inScope(groups, { operation }), 'mcp_exceptions');
      if (count > 0) all.exceptionsOf[operation] = (all.exceptionsOf[operation] ?? 0) + count;
    }
  }
  return all;
}
