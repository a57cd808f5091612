/** Queries everything that the analysis needs from Prometheus: the server's side of a run. */

import type { Phase } from '../judge/phases.ts';
import { type Counter, type Increases, observeIncreases } from './increases.ts';
import { type Prometheus, PrometheusError } from './prometheus.ts';
import { observeSignals, type Signal, type Subject, untilCovered } from './signals.ts';
import { signalsOverTime, type Timeline } from './timeline.ts';

export interface Server {
  signals: Signal[];
  silent: string[];
  ambiguous: string[];
  /** On the grid of the run's timeline. */
  overTime: Timeline['signals'];
  /** Increases of the counters that the test's table needs. */
  increases: Increases;
  /** Why there is no data. */
  problem: string | null;
}

/**
 * @param prometheus null if there is none
 * @param subject its server: the label of the rules that monitor the server under test; '' if there are
 *   none
 * @param counters counters of the test's table
 * @returns never rejects because of Prometheus
 */
export async function observe(
  prometheus: Prometheus | null,
  subject: Subject,
  phases: Phase[],
  counters: Counter[],
): Promise<Server> {
  const nothing: Server = {
    signals: [],
    silent: [],
    ambiguous: [],
    overTime: {},
    increases: new Map(),
    problem: null,
  };
  const end = phases.findLast((phase) => phase.end !== null)?.end;
  if (!end) return nothing;
  if (!prometheus) return { ...nothing, problem: 'the run did not use Prometheus' };
  try {
    await untilCovered(prometheus, Date.parse(end) / 1000);
    const observed = await observeSignals(prometheus, subject, phases);
    const overTime = await signalsOverTime(prometheus, subject, phases);
    const increases = await observeIncreases(prometheus, counters);
    return { ...observed, overTime, increases, problem: null };
  } catch (error) {
    if (error instanceof PrometheusError) return { ...nothing, problem: error.message };
    throw error;
  }
}
