/** The progress line of a run: the current phase of the plan and k6's results so far. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Prometheus } from '../../analysis/collect/prometheus.ts';
import { logLine } from '../../analysis/run-log.ts';
import { UTILIZATION } from '../../contract/signals.js';
import { clock, milliseconds, number, percent } from '../../contract/units.js';
import { logProgress } from '../log-progress.ts';
import type { Plan } from './inspect.ts';
import { SecondsTail } from './seconds-tail.ts';

type Phase = Plan['phases'][number];

/** Length of the window of the values, seconds. */
export const WINDOW_S = 6;
/** Intervals in seconds of lines that replace the previous one, and of other lines. */
const DRAWN_S = 2;
const SAID_S = 10;
/** Minimum utilization of a resource to be mentioned. */
export const MUCH = 0.8;

/** null = unknown or not applicable. */
export interface Figures {
  /** Requests/s. */
  achieved: number | null;
  p99S: number | null;
  /** Failure rate, 0 to 1. */
  failed: number | null;
  /** The server's most used resource. */
  used: { signal: string; share: number } | null;
  /** Calls by step of a sequence, including completed steps. */
  calls: Map<string, number>;
  /** Iterations by phase. */
  iterations: Map<string, number>;
  made: Map<string, number>;
}

/** The server's most used resource, if its utilization is high enough to mention. */
async function mostUsed(prometheus: Prometheus, server: string): Promise<Figures['used']> {
  const query = `topk(1, {__name__=~"signal:(${UTILIZATION.join('|')}):ratio", server=${JSON.stringify(server)}} >= ${MUCH})`;
  const [most] = await prometheus.query(query, Date.now() / 1000).catch(() => []);
  return most ? { signal: most.labels.__name__?.split(':')[1] ?? '', share: most.value } : null;
}

export function figuresOf(tail: SecondsTail, phase: Phase | null, used: Figures['used']): Figures {
  const { sums, seconds } = tail.last(phase?.name) ?? { sums: null, seconds: 0 };
  const p99Ms = sums?.latencies.all.percentile(0.99) ?? null;
  return {
    achieved: sums ? sums.attempts / seconds : null,
    p99S: p99Ms === null ? null : p99Ms / 1000,
    failed: sums?.failureRate ?? null,
    used,
    calls: tail.requests,
    iterations: tail.iterations,
    made: tail.made,
  };
}

/** 0:07, 12:07, 1:02:07 */
export const shortClock = (seconds: number) => clock(seconds).replace(/^0(?=\d:)/, '');

export const phaseAt = ({ phases }: Plan, elapsedS: number): Phase | null =>
  phases.findLast(({ start_s }) => start_s <= elapsedS) ?? phases[0] ?? null;
const endOf = ({ start_s, duration_s }: Phase) => start_s + duration_s;

/**
 * @param plan null for a trial
 * @param elapsedS seconds since the phases began
 * @returns '' if there is nothing to show yet
 */
export function progressLine(plan: Plan | null, elapsedS: number, figures: Figures): string {
  const { achieved, p99S, failed, used } = figures;
  const phase = plan && !plan.sequence ? phaseAt(plan, elapsedS) : null;
  const parts: string[] = [];
  if (plan?.sequence) parts.push(stepOf(plan, figures));
  if (phase?.iterations) parts.push(`${phase.name}: ${doneText(phase, figures.iterations)}`);
  else if (phase) parts.push(`${Math.ceil(Math.max(0, endOf(phase) - elapsedS))} s left in ${phase.name}`);
  // A trial has no plan here, so its warm-up is recognized by the absence of measured requests.
  if (achieved !== null && (plan || achieved > 0) && phase?.measured !== false) {
    const target = phase?.offered_rps ? ` of ${number(phase.offered_rps)}` : '';
    if (!plan?.sequence) parts.push(`${number(achieved)}${target} requests/s`);
    if (p99S !== null) parts.push(`p99 ${milliseconds(p99S * 1000)}`);
    if (failed !== null) parts.push(`${percent(failed)} failed`);
  }
  if (used) parts.push(`${used.signal.replaceAll('_', ' ')} ${percent(used.share)}`);
  const last = plan?.phases.at(-1);
  // A phase that makes a number of calls ends after them: its planned length is only the maximum.
  const length = last && !last.iterations && !plan?.sequence ? ` of ${shortClock(endOf(last))}` : '';
  return parts.length === 0 ? '' : `${shortClock(elapsedS)}${length}  ${parts.join(', ')}`;
}

const doneText = ({ name, iterations }: Phase, done: Map<string, number>) =>
  `${number(done.get(name) ?? 0)} of ${number(iterations)} calls`;

function stepOf({ phases }: Plan, { calls, made }: Figures): string {
  const steps = phases.filter(({ measured }) => measured);
  const index = steps.findIndex(({ name }) => !made.get(name));
  const step = steps[index];
  if (!step) return 'all steps are done';
  return `step ${index + 1} of ${steps.length}: ${step.name}, ${doneText(step, calls)}`;
}

/**
 * Prints the progress from the start of the load to the end of the run: in place on a terminal, otherwise,
 * and in the run's log, every ten seconds.
 *
 * @param folder the folder of the output lab
 * @param plan null for a trial, whose length depends on its own variables
 */
export async function tellProgress(folder: string, plan: Plan | null, over: AbortSignal): Promise<void> {
  const { PROMETHEUS_URL = '', WATCHED_SERVER = '' } = process.env;
  const prometheus = new Prometheus(PROMETHEUS_URL, { timeoutMs: 2000, tries: 1 });
  const tail = new SecondsTail(folder, WINDOW_S);
  const pause = (seconds: number) => sleep(seconds * 1000, undefined, { signal: over }).catch(() => {});
  const draws = process.stderr.isTTY === true && plan !== null;
  if (draws) over.addEventListener('abort', () => process.stderr.write('\x1b[2K\r'));

  let saidS = Number.NEGATIVE_INFINITY;
  for (; !over.aborted; await pause(draws ? DRAWN_S : 1)) {
    const nowS = Date.now() / 1000;
    try {
      tail.read();
    } catch {
      continue;
    }
    const due = nowS - saidS >= SAID_S;
    if (tail.startedS === null || (!draws && !due)) continue;
    const elapsedS = nowS - tail.startedS;
    const phase = plan && !plan.sequence ? phaseAt(plan, elapsedS) : null;
    const figures = figuresOf(tail, phase, await mostUsed(prometheus, WATCHED_SERVER));
    const line = progressLine(plan, elapsedS, figures);
    if (!line || over.aborted) continue;
    if (due) saidS = nowS;
    if (draws) process.stderr.write(`\x1b[2K${line.slice(0, (process.stderr.columns || 80) - 1)}\r`);
    if (draws && due) logLine(line);
    if (!draws) logProgress(line);
  }
}
