/** How a run under load goes: one line, of the plan's phases and of what Prometheus has by now. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Prometheus } from '../../analysis/prometheus.js';
import { logLine } from '../../analysis/run-log.js';
import { bound } from '../../analysis/timeline.js';
import { clock, milliseconds, number, percent } from '../../analysis/units.js';
import * as promql from '../../dashboards/queries.ts';
import { say } from '../say.ts';
import type { Plan } from './inspect.ts';

type Phase = Plan['phases'][number];

/** k6 writes every two seconds: three of its samples. */
const WINDOW_S = 6;
/** Longer than a run. */
const RANGE_S = 30 * 24 * 3600;
/** Seconds from one line to the next: of one that takes the place of the one before, and of others. */
const DRAWN_S = 2;
const SAID_S = 10;
/** Signals of how much of something is in use. From this share on it is said. */
const USED =
  'cpu|busiest_thread|pool_utilization|db_connections|cache_server_cpu|accept_queue|open_files|heap|memory_utilization';
const MUCH = 0.8;

/** null: not known, or nothing to know. */
export interface Figures {
  /** Requests a second. */
  achieved: number | null;
  p99S: number | null;
  /** Share of the requests. */
  failed: number | null;
  /** What the server has least left of. */
  used: { signal: string; share: number } | null;
  /** Calls by step of a sequence, and those of a step that is over. */
  calls: Map<string, number>;
  made: Map<string, number>;
}

interface Moment {
  /** null: of a k6 run of an experiment, whose length its own variables say. */
  plan: Plan | null;
  /** Unix seconds at which the phases began. */
  startedS: number;
  nowS: number;
}

type Ask = (expression: string) => ReturnType<Prometheus['query']>;

async function figuresOf(ask: Ask, { plan, startedS, nowS }: Moment, server: string): Promise<Figures> {
  const phase = plan && !plan.sequence ? phaseAt(plan, nowS - startedS) : null;
  const where = phase ? `phase=${JSON.stringify(phase.name)}` : '';
  const sinceS = startedS + (phase?.start_s ?? 0);
  // A phase that has only begun has no window yet: what it has had as a whole.
  const isYoung = phase !== null && nowS - sinceS < 2 * WINDOW_S;
  const last = `max(timestamp(${promql.ofRun(promql.REQUESTS, where)}))`;
  const [achieved, p99, failed] = isYoung
    ? [
        `${promql.total(promql.REQUESTS, '', where)} / (${last} - ${sinceS}) > 0`,
        promql.percentileOfRun(0.99, promql.DURATION, '', where),
        promql.shareOfRun(promql.FAILURES, promql.REQUESTS, '', where),
      ]
    : [
        promql.perSecond(promql.REQUESTS, '', where),
        promql.percentile(0.99, promql.DURATION, '', where),
        promql.share(promql.FAILURES, promql.REQUESTS, '', where),
      ];
  const used = `topk(1, {__name__=~"signal:(${USED}):ratio", server=${JSON.stringify(server)}} >= ${MUCH})`;
  const [rates, percentiles, failures, saturated] = await Promise.all([achieved, p99, failed, used].map(ask));
  const byPhase = async (metric: string) => {
    const samples = plan?.sequence ? await ask(promql.total(metric, 'phase')) : [];
    return new Map(samples.map(({ labels, value }) => [labels.phase ?? '', value]));
  };
  const first = ([sample]: { value: number }[] = []) =>
    sample && Number.isFinite(sample.value) ? sample.value : null;
  const most = saturated?.[0];
  return {
    // Of a server that answers nothing any more there is no series.
    achieved: first(rates) ?? (phase === null || isYoung ? null : 0),
    p99S: first(percentiles),
    failed: first(failures),
    used: most ? { signal: most.labels.__name__?.split(':')[1] ?? '', share: most.value } : null,
    calls: await byPhase(promql.REQUESTS),
    made: await byPhase('mcp_step_iterations_total'),
  };
}

/** 0:07, 12:07, 1:02:07 */
export const shortClock = (seconds: number) => clock(seconds).replace(/^0(?=\d:)/, '');

const phaseAt = ({ phases }: Plan, elapsedS: number): Phase | null =>
  phases.findLast(({ start_s }) => start_s <= elapsedS) ?? phases[0] ?? null;
const endOf = ({ start_s, duration_s }: Phase) => start_s + duration_s;

/**
 * @param plan as in `Moment`
 * @param elapsedS since the phases began
 * @returns '' where there is nothing to say yet
 */
export function progressLine(plan: Plan | null, elapsedS: number, figures: Figures): string {
  const { achieved, p99S, failed, used } = figures;
  const phase = plan && !plan.sequence ? phaseAt(plan, elapsedS) : null;
  const parts: string[] = [];
  if (plan?.sequence) parts.push(stepOf(plan, figures));
  if (phase) parts.push(`${phase.name}, ${Math.ceil(Math.max(0, endOf(phase) - elapsedS))} s left`);
  if (achieved !== null && phase?.measured !== false) {
    const target = phase?.offered_rps ? ` of ${number(phase.offered_rps)}` : '';
    if (!plan?.sequence) parts.push(`${number(achieved)}${target} requests/s`);
    if (p99S !== null) parts.push(`p99 ${milliseconds(p99S * 1000)}`);
    if (failed !== null) parts.push(`${percent(failed)} failed`);
  }
  if (used) parts.push(`${used.signal.replaceAll('_', ' ')} ${percent(used.share)}`);
  const last = plan?.phases.at(-1);
  const length = last && !plan?.sequence ? ` of ${shortClock(endOf(last))}` : '';
  return parts.length === 0 ? '' : `${shortClock(elapsedS)}${length}  ${parts.join(', ')}`;
}

function stepOf({ phases }: Plan, { calls, made }: Figures): string {
  const steps = phases.filter(({ measured }) => measured);
  const index = steps.findIndex(({ name }) => !made.get(name));
  const step = steps[index];
  if (!step) return 'all steps are made';
  const done = `${number(calls.get(step.name) ?? 0)} of ${number(step.iterations)} calls`;
  return `step ${index + 1} of ${steps.length}: ${step.name}, ${done}`;
}

/**
 * Says it until the run is over: on a terminal in place, elsewhere and in the run's log every ten seconds. It begins when the load does.
 *
 * @param plan as in `Moment`
 */
export async function tellProgress(testid: string, plan: Plan | null, over: AbortSignal): Promise<void> {
  const { PROMETHEUS_URL = '', WATCHED_SERVER = '' } = process.env;
  const prometheus = new Prometheus(PROMETHEUS_URL, { timeoutMs: 2000, tries: 1 });
  const ask: Ask = (expression) =>
    prometheus.query(bound(expression, testid, WINDOW_S, RANGE_S), Date.now() / 1000);
  const pause = (seconds: number) => sleep(seconds * 1000, undefined, { signal: over }).catch(() => {});
  const draws = process.stderr.isTTY === true && plan !== null;
  if (draws) over.addEventListener('abort', () => process.stderr.write('\x1b[2K\r'));

  const begunS = Date.now() / 1000;
  let startedS = 0;
  // Of an experiment's k6 run before this one there is one, too.
  for (; startedS < begunS && !over.aborted; await pause(1)) {
    const [started] = await ask(`max(${promql.saidByRun('mcp_started_seconds')})`).catch(() => []);
    startedS = started?.value ?? 0;
  }
  let saidS = Number.NEGATIVE_INFINITY;
  for (; !over.aborted; await pause(draws ? DRAWN_S : 1)) {
    const nowS = Date.now() / 1000;
    const due = nowS - saidS >= SAID_S;
    if (!draws && !due) continue;
    const figures = await figuresOf(ask, { plan, startedS, nowS }, WATCHED_SERVER).catch(() => null);
    const line = figures && progressLine(plan, nowS - startedS, figures);
    if (!line || over.aborted) continue;
    if (due) saidS = nowS;
    if (draws) process.stderr.write(`\x1b[2K${line.slice(0, (process.stderr.columns || 80) - 1)}\r`);
    if (draws && due) logLine(line);
    if (!draws) say(line);
  }
}
