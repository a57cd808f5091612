/**
 * Iterations against requests. Each iteration that k6 counts ends in one request, as a success or as a failure with a kind, or
 * in one result from a cache; requests beyond that one are counted (`mcp_additional_requests`). What is missing is an exception
 * that was counted, or nobody knows where it went.
 */

import { counterOf, inScope, total } from '../collect/groups.ts';
import type { PlannedPhase } from '../collect/plan.ts';
import type { Summary } from '../collect/summary.ts';
import type { Phase } from './phases.ts';

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
  { groups, vusMax }: Pick<Summary, 'groups' | 'vusMax'>,
): Counts {
  const own = inScope(groups, { phase: name });
  return {
    // k6 counts a sequence as one iteration.
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
  for (const { plan, groups, vusMax } of runs) {
    let ofPhases = 0;
    for (const planned of plan.phases) {
      // When a step that was cut off began, and how many calls it had made, nobody has counted.
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
