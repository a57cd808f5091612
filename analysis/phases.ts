import { type Latencies, OUTCOMES } from './latencies.ts';
import type { Metrics } from './metrics.ts';
import { countsOf, reconcile } from './reconcile.ts';
import { round } from './round.ts';
import type { Latency, PlannedPhase, Scope, Summary } from './summary.ts';

/** One phase of the run; figures are null where it is not measured (warm-up) or did not start. */
export interface Phase {
  name: string;
  measured: boolean;
  /** Meant to be more than the server takes. */
  overload: boolean;
  /** What varies between the phases of a table. */
  labels: Record<string, string>;
  /** ISO time. */
  start: string | null;
  end: string | null;
  /** Actual duration. */
  duration_s: number;
  /** Ran its whole length, and made all of its iterations where it has a number of them. */
  completed: boolean;
  /** Iterations that arrive each second; null: a fixed number of users. */
  offered_rps: number | null;
  /** Users of a phase with a fixed number of them. */
  vus: number | null;
  /** Iterations that made a request, or had its result from a cache. */
  iterations: number | null;
  /** Iterations that ended without either. */
  lost?: number | null;
  iterations_planned: number | null;
  /** Iterations finished each second, until the phase ended. */
  achieved_rps: number | null;
  /** HTTP requests, handshakes too. */
  requests: number | null;
  requests_per_s: number | null;
  /** Calls that have a latency: all but those that were given up or interrupted. */
  calls?: number | null;
  /** Calls that were answered, well or not. */
  answered: number | null;
  /** Requests. */
  failed: number | null;
  /** Iterations that no user was free to make. */
  dropped: number | null;
  /** Failed / requests. */
  error_rate: number | null;
  /** Of all calls; null: there was none. */
  latency_ms: Latency | null;
  /** By outcome (latencies.ts), if some failed. */
  outcomes?: Record<string, { calls: number; latency_ms: Latency }>;
  /** Shares of the latency (measured.ts). */
  parts?: Record<string, number>;
  connections?: Connections;
  /** Calls that were open when k6 interrupted them; since: when the first began. */
  interrupted?: { calls: number; since: string };
  /** By kind. */
  failures: Record<string, number> | null;
  items: number | null;
  items_per_s: number | null;
}

/** Of a phase. */
export interface Connections {
  opened: number;
  opened_per_s: number;
  /** Requests, handshakes too; null: none was opened. */
  calls_per_connection: number | null;
  /** Requests less than a second after their client's last answer. */
  follow_ups: number;
  /** Follow-ups that opened a connection. */
  reopened: number;
  /** After its answer. */
  closed_by_server: number;
  /** Of all calls. */
  until_connected_p95_ms: number;
}

/** k6's own end of the run is known to some ten milliseconds: less than this is no phase cut short. */
const CUT_SHORT_S = 0.5;

export function phases({ plan, startedMs, ranS, metrics }: Summary): Phase[] {
  return plan.phases.map((planned) => {
    const slot = plan.sequence
      ? stepSlot(planned, startedMs, metrics)
      : slotOf(planned, startedMs, ranS, metrics);
    const figures =
      planned.measured && slot.start !== null ? figuresOf(planned, slot.duration_s, metrics) : NONE;
    const labels = Object.entries(planned.labels ?? {}).map(([label, value]) => [label, String(value)]);
    return {
      name: planned.name,
      measured: planned.measured,
      overload: planned.overload ?? false,
      labels: Object.fromEntries(labels),
      ...slot,
      offered_rps: planned.offered_rps ?? null,
      vus: planned.vus ?? null,
      iterations_planned: planned.iterations ?? null,
      ...figures,
    };
  });
}

const NONE = {
  iterations: null,
  lost: null,
  achieved_rps: null,
  requests: null,
  requests_per_s: null,
  answered: null,
  failed: null,
  dropped: null,
  error_rate: null,
  latency_ms: null,
  failures: null,
  items: null,
  items_per_s: null,
};

/** When a step of a sequence really ran: nothing of it was planned. */
function stepSlot(
  { name, measured, iterations }: PlannedPhase,
  startedMs: number | null,
  metrics: Metrics,
): Pick<Phase, 'start' | 'end' | 'duration_s' | 'completed'> {
  const startS = metrics.gauge('mcp_phase_start_seconds', { phase: name }).max;
  const endS = metrics.gauge('mcp_phase_end_seconds', { phase: name }).max;
  if (startedMs === null || !measured || endS === 0) {
    return { start: null, end: null, duration_s: 0, completed: !measured };
  }
  return {
    start: new Date(startedMs + startS * 1000).toISOString(),
    end: new Date(startedMs + endS * 1000).toISOString(),
    // The shortest take milliseconds.
    duration_s: round(endS - startS, 4),
    completed: metrics.count('mcp_step_iterations', { phase: name }) === iterations,
  };
}

/**
 * When the phase really ran: one with a number of iterations ends with the last of them, and a run that was
 * ended early takes the rest of its phases with it.
 */
function slotOf(
  planned: PlannedPhase,
  startedMs: number | null,
  ranS: number,
  metrics: Metrics,
): Pick<Phase, 'start' | 'end' | 'duration_s' | 'completed'> {
  if (startedMs === null || ranS <= planned.start_s) {
    return { start: null, end: null, duration_s: 0, completed: false };
  }
  const finishedS =
    planned.iterations == null ? 0 : metrics.gauge('mcp_phase_end_seconds', { phase: planned.name }).max;
  const plannedEndS = planned.start_s + planned.duration_s;
  const endS = Math.min(finishedS > planned.start_s ? finishedS : plannedEndS, ranS);
  const made = metrics.count('iterations', { phase: planned.name });
  const completed =
    planned.iterations == null || !planned.measured
      ? endS > plannedEndS - CUT_SHORT_S
      : made >= planned.iterations;
  return {
    start: new Date(startedMs + planned.start_s * 1000).toISOString(),
    end: new Date(startedMs + endS * 1000).toISOString(),
    duration_s: round(endS - planned.start_s),
    completed,
  };
}

function figuresOf(planned: PlannedPhase, durationS: number, metrics: Metrics) {
  const { name } = planned;
  const tags = { phase: name };
  const counts = countsOf(planned, metrics);
  const { lost } = reconcile(counts);
  const { requests } = counts;
  const iterations = counts.iterations - lost;
  const items = metrics.count('mcp_items', tags);
  const { failed, total } = metrics.failed(tags);
  const { count, latency } = metrics.latency(tags);
  const latencies = metrics.latencies?.(tags);
  const perSecond = (count: number) => (durationS > 0 ? round(count / durationS) : null);
  return {
    iterations,
    lost,
    achieved_rps: perSecond(Math.max(0, iterations - (metrics.late?.(tags) ?? 0))),
    requests,
    requests_per_s: perSecond(requests),
    calls: count,
    answered: latencies?.answered ?? count,
    failed,
    // The one tag that k6 gives an iteration that it could not start; a phase's scenario has the phase's name.
    dropped: metrics.count('dropped_iterations', { scenario: name }),
    error_rate: total > 0 ? round(failed / total, 6) : null,
    latency_ms: latency && roundLatency(latency),
    ...(latencies && failed > 0 && { outcomes: outcomesOf(latencies) }),
    ...openingOf(tags, durationS, metrics),
    ...interruptedOf(tags, metrics),
    failures: metrics.failures(tags),
    items: items > 0 ? items : null,
    items_per_s: items > 0 ? perSecond(items) : null,
  };
}

/** @returns of the outcomes that calls had */
function outcomesOf(latencies: Latencies): Phase['outcomes'] {
  const had = OUTCOMES.flatMap((outcome) => {
    const latency = latencies.latencyOf(outcome);
    return latency
      ? [[outcome, { calls: latencies.of(outcome).count, latency_ms: roundLatency(latency) }]]
      : [];
  });
  return Object.fromEntries(had);
}

/** @returns nothing where nobody measured it */
function openingOf(tags: Scope, durationS: number, metrics: Metrics): Pick<Phase, 'parts' | 'connections'> {
  const opening = metrics.opening?.(tags);
  const total = Object.values(opening?.parts ?? {}).reduce((sum, ms) => sum + ms, 0);
  if (!opening || total === 0 || durationS === 0) return {};
  const opened = metrics.count('mcp_connections', tags);
  const shares = Object.entries(opening.parts).map(([part, ms]) => [part, round(ms / total, 4)]);
  return {
    parts: Object.fromEntries(shares),
    connections: {
      opened,
      opened_per_s: round(opened / durationS),
      calls_per_connection: opened > 0 ? round(metrics.count('mcp_requests', tags) / opened) : null,
      follow_ups: opening.followUps,
      reopened: metrics.count('mcp_reconnections', tags),
      closed_by_server: opening.closed,
      until_connected_p95_ms: round(opening.untilConnected.percentile(0.95) ?? 0),
    },
  };
}

function interruptedOf(tags: Scope, metrics: Metrics): Pick<Phase, 'interrupted'> {
  const calls = metrics.count('mcp_interrupted', tags);
  const since = metrics.interruptedSince?.(tags);
  return calls > 0 && since ? { interrupted: { calls, since: new Date(since).toISOString() } } : {};
}

export function roundLatency(latency: Latency): Latency {
  const { at_least, ...figures } = latency;
  const rounded = Object.entries(figures).map(([figure, ms]) => [figure, round(ms)]);
  return { ...Object.fromEntries(rounded), ...(at_least && { at_least }) };
}

/** @returns calls with a latency; older documents have answered ones alone */
export const callsOf = ({ calls, answered }: { calls?: number | null; answered?: number | null }): number =>
  calls ?? answered ?? 0;

/** @returns what it offers: arrivals a second, or users */
export const loadOf = ({ offered_rps, vus }: Phase): number => offered_rps ?? vus ?? 0;

/**
 * @returns those that were given more than the test's first load on purpose. A phase in which the server may recover is an overload too, as
 *   far as judging goes, but not one of these.
 */
export function peaks(phases: Phase[]): Phase[] {
  const first = phases.find((phase) => phase.measured && !phase.overload);
  const normal = first ? loadOf(first) : 0;
  return phases.filter((phase) => phase.measured && phase.overload && loadOf(phase) > normal);
}
