/** How a run under load goes: one line, of the plan's phases and of what Prometheus has by now. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Prometheus } from '../../analysis/prometheus.js';
import { logLine } from '../../analysis/run-log.js';
import { milliseconds, number, percent } from '../../analysis/units.js';
import { say } from '../say.ts';
import type { Plan } from './inspect.ts';

type Phase = Plan['phases'][number];

/** k6 writes every two seconds: three of its samples. */
const WINDOW_S = 6;
/** Seconds from one line to the next where none takes the place of the one before. */
const EACH = 10;
/** Signals of how much of something is in use. From this share on it is said. */
const USED =
  'cpu|busiest_thread|pool_utilization|db_connections|cache_server_cpu|accept_queue|open_files|heap|memory_utilization';
const MUCH = 0.8;

/** null: not known, or nothing to know. */
export interface Figures {
  /** Unix seconds at which the phases began. */
  startedS: number | null;
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

/** The phase that runs. */
interface Running {
  name: string;
  /** Unix seconds. */
  sinceS: number;
  forS: number;
}

/** @param phase null: of a sequence, or of an experiment's k6 run, whose plan does not say which one it is */
async function figuresOf(
  prometheus: Prometheus,
  testid: string,
  server: string,
  phase: Running | null,
): Promise<Figures> {
  const now = Date.now() / 1000;
  const run = `testid=${JSON.stringify(testid)}`;
  const here = phase ? `{${run},phase=${JSON.stringify(phase.name)}}` : `{${run}}`;
  // Of a phase that has only begun there is nothing to take a rate of yet: what it has had as a whole.
  const young = phase !== null && phase.forS < 2 * WINDOW_S;
  const part = (name: string) => (young ? `sum(${name}${here})` : `sum(rate(${name}${here}[${WINDOW_S}s]))`);
  const requests = part('k6_mcp_requests_total');
  const ask = (query: string) => prometheus.query(query, now);
  const [started, achieved, p99, failed, used, calls, made] = await Promise.all([
    ask(`max(k6_mcp_started_seconds{${run}})`),
    ask(
      young
        ? `${requests} / (max(timestamp(k6_mcp_requests_total${here})) - ${phase.sinceS}) > 0`
        : `${requests} > 0`,
    ),
    ask(`histogram_quantile(0.99, ${part('k6_mcp_request_duration_seconds')})`),
    ask(`${part('k6_mcp_failures_total')} / ${requests}`),
    ask(`topk(1, {__name__=~"signal:(${USED}):ratio", server=${JSON.stringify(server)}} >= ${MUCH})`),
    ask(`sum by (phase) (k6_mcp_requests_total{${run}})`),
    ask(`sum by (phase) (k6_mcp_step_iterations_total{${run}})`),
  ]);
  const first = ([sample]: typeof started) =>
    Number.isFinite(sample?.value) ? (sample?.value ?? null) : null;
  const byPhase = (samples: typeof started) =>
    new Map(samples.map(({ labels, value }) => [labels.phase ?? '', value]));
  const [most] = used;
  return {
    startedS: first(started),
    achieved: first(achieved),
    p99S: first(p99),
    failed: first(failed),
    used: most ? { signal: most.labels.__name__?.split(':')[1] ?? '', share: most.value } : null,
    calls: byPhase(calls),
    made: byPhase(made),
  };
}

/** 0:07, 12:07, 1:02:07 */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}`;
}

const phaseAt = ({ phases }: Plan, elapsedS: number) =>
  phases.findLast(({ start_s }) => start_s <= elapsedS) ?? phases[0];

function runningAt(plan: Plan, nowS: number, startedS: number): Running | null {
  const phase = plan.sequence ? undefined : phaseAt(plan, nowS - startedS);
  if (!phase) return null;
  const sinceS = startedS + phase.start_s;
  return { name: phase.name, sinceS, forS: nowS - sinceS };
}

/**
 * @param plan null: of a k6 run of an experiment, whose length its own variables say
 * @param elapsedS since the phases began
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
    parts.push(`${percent(failed ?? 0)} failed`);
  }
  if (used) parts.push(`${used.signal.replaceAll('_', ' ')} ${percent(used.share)}`);
  const last = plan?.phases.at(-1);
  const length = last && !plan?.sequence ? ` of ${clock(endOf(last))}` : '';
  return `${clock(elapsedS)}${length}  ${parts.join(', ')}`;
}

const endOf = ({ start_s, duration_s }: Phase) => start_s + duration_s;

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
 * @param plan as in `progressLine`
 */
export async function tellProgress(testid: string, plan: Plan | null, over: AbortSignal): Promise<void> {
  const { PROMETHEUS_URL = '', WATCHED_SERVER: server = '' } = process.env;
  const prometheus = new Prometheus(PROMETHEUS_URL, { timeoutMs: 2000, tries: 1 });
  const draws = process.stderr.isTTY === true && plan !== null;
  const begunS = Date.now() / 1000;
  let startedS: number | null = null;
  let saidAt = Number.NEGATIVE_INFINITY;
  for (; !over.aborted; await sleep(1000, undefined, { signal: over }).catch(() => {})) {
    const now = Date.now() / 1000;
    const due = now - saidAt >= EACH;
    if (!draws && !due) continue;
    const phase: Running | null = plan && startedS !== null ? runningAt(plan, now, startedS) : null;
    const figures: Figures | null = await figuresOf(prometheus, testid, server, phase).catch(() => null);
    // Of an experiment's k6 run before this one there is one, too.
    if (over.aborted || !figures?.startedS || figures.startedS < begunS) continue;
    const isFirst = startedS === null;
    startedS = figures.startedS;
    if (isFirst) continue;
    const line = progressLine(plan, Date.now() / 1000 - startedS, figures);
    if (due) saidAt = now;
    if (!draws) say(line);
    else {
      if (due) logLine(line);
      process.stderr.write(`\x1b[2K${line.slice(0, (process.stderr.columns || 80) - 1)}\r`);
    }
  }
  if (draws) process.stderr.write('\x1b[2K\r');
}
