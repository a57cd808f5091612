/** Reads what a k6 run left: measured.json of the output lab. */
import { cleanText } from '../clean-text.ts';
import { type Group, gaugeOf } from './groups.ts';
import {
  type Abort,
  abortOf,
  type Clients,
  type ClockJump,
  hasMeasured,
  readMeasured,
  type Threshold,
  withServer,
} from './measured.ts';
import { type Plan, validatePlan } from './plan.ts';
import type { Processes } from './processes.ts';
import type { Streams } from './streams.ts';

/** Of one k6 run, or of all trials together. */
export interface Summary {
  plan: Plan;
  /** Unix time of the phases' zero; null: the run ended in set-up. */
  startedMs: number | null;
  /** Seconds from the phases' zero to the end of the whole run. */
  ranS: number;
  groups: readonly Group[];
  /** VUs that k6 had at most. */
  vusMax: number;
  /** As k6 judged them. */
  thresholds: readonly Threshold[];
  /** Processors that k6 may use; null: not known. */
  cores: number | null;
  clockJumps: readonly ClockJump[];
  /** Of each k6 run whose server is a program. */
  processes: readonly Processes[];
  /** Of each k6 run whose clients held streams. */
  streams: readonly Streams[];
  /** Of one k6 run; absent: not known. */
  clients?: Clients;
}

/** @param directory a run's results @returns the problem is one plain line; abort: why the script ended its test */
export function readSummary(
  directory: string,
): ({ summary: Summary; problem: null } | { summary: null; problem: string }) & { abort?: Abort | null } {
  const failed = (problem: string) => ({ summary: null, problem: cleanText(problem, []) });
  if (!hasMeasured(directory)) return failed('k6 left no measured.json');
  const measured = readMeasured(directory);
  if (!measured) return failed('measured.json is not a mcp-load-lab/measured/2 document');
  const { plan, began, ended, groups, vusMax, thresholds, cores = null, clockJumps = [] } = measured;
  const { clients, processes, streams } = measured;
  const abort = abortOf(measured.end);
  const problem = validatePlan(plan);
  if (problem) return { ...failed(`measured.json has no plan of a test: ${problem}`), abort };
  const [startedS] = gaugeOf(groups, 'mcp_started_seconds') ?? [0];
  const startedMs = Math.round(startedS * 1000);
  return {
    summary: {
      plan: withServer(plan as Plan, measured),
      startedMs: startedMs || null,
      ranS: (ended - (startedMs || began)) / 1000,
      groups,
      vusMax,
      thresholds,
      cores,
      clockJumps,
      processes: processes ? [processes] : [],
      streams: streams ? [streams] : [],
      ...(clients && { clients }),
    },
    problem: null,
    abort,
  };
}
