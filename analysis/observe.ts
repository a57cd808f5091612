/** Everything that the analysis asks Prometheus. A run without it keeps its client figures. */

import type { Phase } from './phases.ts';
import { type Prometheus, PrometheusError } from './prometheus.ts';
import { observeRecovery, planRecoveries, type Recovery } from './recovery.ts';
import { observeSignals, type Signal, untilCovered } from './signals.ts';
import type { Plan } from './summary.ts';
import { collectTimeline, type Timeline } from './timeline.ts';

export interface Server {
  signals: Signal[];
  silent: string[];
  ambiguous: string[];
  /** One an overload. */
  recoveries: Recovery[];
  timeline: Timeline | null;
  /** Why there is nothing. */
  problem: string | null;
}

/**
 * @param prometheus null: none was named
 * @param server the label of the rules that watch the server under test; '' = none does
 * @param folders of what the output lab wrote; none: it did not
 * @returns never throws for what Prometheus does
 */
export async function observe(
  prometheus: Prometheus | null,
  plan: Plan,
  phases: Phase[],
  server: string,
  folders: readonly string[] = [],
): Promise<Server> {
  const nothing: Server = {
    signals: [],
    silent: [],
    ambiguous: [],
    recoveries: [],
    timeline: null,
    problem: null,
  };
  const end = phases.findLast((phase) => phase.end !== null)?.end;
  if (!end) return nothing;
  if (!prometheus) return { ...nothing, problem: 'the run was without Prometheus' };
  try {
    await untilCovered(prometheus, Date.parse(end) / 1000);
    const observed = await observeSignals(prometheus, { testid: plan.testid, server }, phases);
    const timeline = await collectTimeline(prometheus, { testid: plan.testid, server }, phases, folders);
    const recoveries = [];
    for (const toAsk of planRecoveries(phases, plan.objectives))
      recoveries.push(await observeRecovery(prometheus, plan.testid, toAsk, folders));
    return { ...nothing, ...observed, recoveries, timeline };
  } catch (error) {
    if (error instanceof PrometheusError) return { ...nothing, problem: error.message };
    throw error;
  }
}
