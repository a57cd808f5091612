/**
 * Iterations against requests. Each iteration that k6 counts ends in one request, as a success or as a failure with a kind, or
 * in one result from a cache; requests beyond that one are counted (`mcp_additional_requests`). What is missing is an exception
 * that was counted, or nobody knows where it went.
 */

import type { Metrics } from './metrics.ts';
import type { Phase } from './phases.ts';
import type { PlannedPhase, Summary } from './summary.ts';

/** Of one phase. */
export interface Counts {
  /** As k6 counts them: those that ended, with an exception or without. */
  iterations: number;
  requests: number;
  /** Requests beyond one for each iteration. */
  further: number;
  /** Results that took no request. */
  cached: number;
  exceptions: number;
  /** Each may have made a request in an iteration that the phase's end cut off, and k6 does not count. */
  vus: number;
}

interface Reconciled {
  /** Iterations that ended: as many as the iterations that made one. */
  calls: number;
  /** Iterations without a request. */
  lost: number;
  /** Of these, those without an exception. */
  unexplained: number;
  /** Calls without an iteration, beyond those that the phase's end can have cut off. */
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
  metrics: Metrics,
): Counts {
  const tags = { phase: name };
  return {
    // k6 counts a sequence as one iteration.
    iterations: metrics.count('mcp_step_iterations', tags) || metrics.count('iterations', tags),
    requests: metrics.count('mcp_requests', tags),
    further: metrics.count('mcp_additional_requests', tags),
    cached: metrics.count('mcp_cache_hits', tags),
    exceptions: metrics.count('mcp_exceptions', tags),
    vus: max_vus ?? vus ?? metrics.gauge('vus_max').max,
  };
}

type ReconciledPhase = Counts & Reconciled & { phase: string };

export interface Ledger {
  /** The measured ones that ran. */
  phases: ReconciledPhase[];
  /** Of all phases, the warm-up's too. */
  iterations: number;
  /** Of all phases, the warm-up's too. */
  exceptions: number;
  /** By operation, those that had any. */
  exceptionsOf: Record<string, number>;
}

/** @param runs one, or one of each trial @param phases of all of them */
export function ledger(runs: Summary[], phases: Phase[]): Ledger {
  const ran = new Set(phases.filter(({ start }) => start !== null).map(({ name }) => name));
  const all: Ledger = { phases: [], iterations: 0, exceptions: 0, exceptionsOf: {} };
  for (const { plan, metrics } of runs) {
    let ofPhases = 0;
    for (const planned of plan.phases) {
      // When a step that was cut off began, and how many calls it had made, nobody has counted.
      if (!planned.measured || !ran.has(planned.name)) continue;
      const counts = countsOf(planned, metrics);
      ofPhases += counts.iterations;
      all.phases.push({ phase: planned.name, ...counts, ...reconcile(counts) });
    }
    all.iterations += Math.max(ofPhases, metrics.count('iterations'));
    all.exceptions += metrics.count('mcp_exceptions');
    for (const { operation } of plan.operations) {
      const count = metrics.count('mcp_exceptions', { operation });
      if (count > 0) all.exceptionsOf[operation] = (all.exceptionsOf[operation] ?? 0) + count;
    }
  }
  return all;
}
