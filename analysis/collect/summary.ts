/** Reads the results of a k6 run: measured.json of the output lab. */
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

/** Summary of one k6 run, or of all trials together. */
export interface Summary {
  plan: Plan;
  /** Unix time to which the phases are relative; null if the run ended during setup. */
  startedMs: number | null;
  /** Seconds from `startedMs` to the end of the whole run. */
  ranS: number;
  groups: readonly Group[];
  /** Maximum number of VUs. */
  vusMax: number;
  /** With k6's own results. */
  thresholds: readonly Threshold[];
  /** Number of cores that k6 may use; null if unknown. */
  cores: number | null;
  clockJumps: readonly ClockJump[];
  /** One entry for each k6 run whose server is a program. */
  processes: readonly Processes[];
  /** One entry for each k6 run whose clients held streams. */
  streams: readonly Streams[];
  /** Only for a single k6 run; absent if unknown. */
  clients?: Clients;
}

/**
 * @param directory directory of the run's results
 * @returns problem: one plain line; abort: why the script ended its test
 */
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
  if (problem) return { ...failed(`measured.json has no valid test plan: ${problem}`), abort };
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
