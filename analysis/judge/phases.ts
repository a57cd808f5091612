import {
  counterOf,
  failureRateOf,
  failuresOf,
  type Group,
  gaugeOf,
  inScope,
  interruptedSince,
  latenciesOf,
  openingOf,
  total,
  trendOf,
} from '../collect/groups.ts';
import { type Latencies, OUTCOMES } from '../collect/latencies.ts';
import type { Plan, PlannedPhase } from '../collect/plan.ts';
import type { Latency } from '../collect/sparse-histogram.ts';
import type { Summary } from '../collect/summary.ts';
import { round } from '../round.ts';
import { countsOf, reconcile } from './reconcile.ts';

/** One phase of the run; figures are null if the phase is not measured (warm-up) or did not start. */
export interface Phase {
  name: string;
  measured: boolean;
  /** The load is meant to exceed the server's capacity. */
  overload: boolean;
  /** What varies between the phases of a table. */
  labels: Record<string, string>;
  /** ISO 8601 time. */
  start: string | null;
  end: string | null;
  /** Actual duration. */
  duration_s: number;
  /** Whether the phase ran for its whole duration and made all of its planned iterations. */
  completed: boolean;
  /** Iterations that start per second; null in a closed model. */
  offered_rps: number | null;
  /** VUs of a closed model. */
  vus: number | null;
  /** Iterations that made a request, or that had its result from a cache. */
  iterations: number | null;
  /** Iterations that ended without either. */
  lost?: number | null;
  iterations_planned: number | null;
  /** Iterations completed per second, until the end of the phase. */
  achieved_rps: number | null;
  /** HTTP requests, including handshakes. */
  requests: number | null;
  requests_per_s: number | null;
  /** Calls with a latency: all calls except those that were given up or interrupted. */
  calls?: number | null;
  /** Calls that were answered, successfully or not. */
  answered: number | null;
  /** Failed requests. */
  failed: number | null;
  /** Iterations that were dropped because no VU was free. */
  dropped: number | null;
  /** Failed calls and failed protocol requests, as a share of both and of successful calls. */
  failure_rate: number | null;
  /** Over all calls; null without calls. */
  latency_ms: Latency | null;
  /** By outcome (latencies.ts), if some calls failed. */
  outcomes?: Record<string, { calls: number; latency_ms: Latency }>;
  /** Shares of the latency by part (measured.ts). */
  parts?: Record<string, number>;
  connections?: Connections;
  /** Total time that VUs spent opening sessions, seconds; absent if they opened none. */
  handshakes_s?: number;
  /** Calls that k6 interrupted, and when the earliest call began. */
  interrupted?: { calls: number; since: string };
  /** By kind. */
  failures: Record<string, number> | null;
  items: number | null;
  items_per_s: number | null;
}

/** The connections of a phase. */
export interface Connections {
  opened: number;
  opened_per_s: number;
  /** Requests per connection, including handshakes; null if no connection was opened. */
  calls_per_connection: number | null;
  /** Requests within a second after their client's last answer. */
  follow_ups: number;
  /** Follow-ups that opened a connection. */
  reopened: number;
  /** Connections that the server closed after its answer. */
  closed_by_server: number;
  /** Over all calls. */
  until_connected_p95_ms: number;
}

/**
 * k6's end of the run is accurate to some ten milliseconds, so a smaller difference does not cut a phase
 * short.
 */
const CUT_SHORT_S = 0.5;

export function phases({ plan, startedMs, ranS, groups, vusMax }: Summary): Phase[] {
  return plan.phases.map((planned) => {
    const own = inScope(groups, { phase: planned.name });
    const slot = plan.sequence ? stepSlot(planned, startedMs, own) : slotOf(planned, startedMs, ranS, own);
    const figures =
      planned.measured && slot.start !== null ? figuresOf(planned, slot.duration_s, own, vusMax) : NONE;
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
  failure_rate: null,
  latency_ms: null,
  failures: null,
  items: null,
  items_per_s: null,
};

/** @returns the actual time of a sequence's step; steps have no planned start */
function stepSlot(
  { measured, iterations }: PlannedPhase,
  startedMs: number | null,
  own: readonly Group[],
): Pick<Phase, 'start' | 'end' | 'duration_s' | 'completed'> {
  const [, startS] = gaugeOf(own, 'mcp_phase_start_seconds') ?? [0, 0];
  const [, endS] = gaugeOf(own, 'mcp_phase_end_seconds') ?? [0, 0];
  if (startedMs === null || !measured || endS === 0) {
    return { start: null, end: null, duration_s: 0, completed: !measured };
  }
  return {
    start: new Date(startedMs + startS * 1000).toISOString(),
    end: new Date(startedMs + endS * 1000).toISOString(),
    // The shortest steps take milliseconds.
    duration_s: round(endS - startS, 4),
    completed: counterOf(own, 'mcp_step_iterations') === iterations,
  };
}

/**
 * @returns the actual time of a phase. A phase with a number of iterations ends with the last of them. If a
 *   run ends early, its remaining phases do not take place.
 */
function slotOf(
  planned: PlannedPhase,
  startedMs: number | null,
  ranS: number,
  own: readonly Group[],
): Pick<Phase, 'start' | 'end' | 'duration_s' | 'completed'> {
  if (startedMs === null || ranS <= planned.start_s) {
    return { start: null, end: null, duration_s: 0, completed: false };
  }
  const [, lastS] = gaugeOf(own, 'mcp_phase_end_seconds') ?? [0, 0];
  const finishedS = planned.iterations == null ? 0 : lastS;
  const plannedEndS = planned.start_s + planned.duration_s;
  const endS = Math.min(finishedS > planned.start_s ? finishedS : plannedEndS, ranS);
  const made = total(own, 'iterations');
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

function figuresOf(planned: PlannedPhase, durationS: number, own: readonly Group[], vusMax: number) {
  const counts = countsOf(planned, { groups: own, vusMax });
  const { lost } = reconcile(counts);
  const { requests } = counts;
  const iterations = counts.iterations - lost;
  const items = counterOf(own, 'mcp_items');
  const failed = total(own, 'failed');
  const latencies = latenciesOf(own);
  const { latency } = latencies;
  const perSecond = (count: number) => (durationS > 0 ? round(count / durationS) : null);
  return {
    iterations,
    lost,
    achieved_rps: perSecond(Math.max(0, iterations - total(own, 'late'))),
    requests,
    requests_per_s: perSecond(requests),
    calls: latencies.all.count,
    answered: latencies.answered,
    failed,
    dropped: total(own, 'dropped'),
    failure_rate: failureRateOf(own),
    latency_ms: latency && roundLatency(latency),
    ...(failed > 0 && { outcomes: outcomesOf(latencies) }),
    ...connectionsOf(own, durationS),
    ...handshakesOf(own),
    ...interruptedOf(own),
    failures: failuresOf(own),
    items: items > 0 ? items : null,
    items_per_s: items > 0 ? perSecond(items) : null,
  };
}

function handshakesOf(own: readonly Group[]): Pick<Phase, 'handshakes_s'> {
  const { count, mean } = trendOf(own, 'mcp_session_duration');
  return count === 0 ? {} : { handshakes_s: round((count * (mean ?? 0)) / 1000) };
}

/** @returns latencies by outcome, without outcomes that did not occur */
function outcomesOf(latencies: Latencies): Phase['outcomes'] {
  const had = OUTCOMES.flatMap((outcome) => {
    const latency = latencies.latencyOf(outcome);
    return latency
      ? [[outcome, { calls: latencies.of(outcome).count, latency_ms: roundLatency(latency) }]]
      : [];
  });
  return Object.fromEntries(had);
}

/** @returns {} if no latency has parts */
function connectionsOf(own: readonly Group[], durationS: number): Pick<Phase, 'parts' | 'connections'> {
  const { parts, untilConnected } = openingOf(own);
  const all = Object.values(parts).reduce((sum, ms) => sum + ms, 0);
  if (all === 0 || durationS === 0) return {};
  const opened = total(own, 'connections');
  const shares = Object.entries(parts).map(([part, ms]) => [part, round(ms / all, 4)]);
  return {
    parts: Object.fromEntries(shares),
    connections: {
      opened,
      opened_per_s: round(opened / durationS),
      calls_per_connection: opened > 0 ? round(total(own, 'requests') / opened) : null,
      follow_ups: total(own, 'followUps'),
      reopened: total(own, 'reconnections'),
      closed_by_server: total(own, 'closedConnections'),
      until_connected_p95_ms: round(untilConnected.percentile(0.95) ?? 0),
    },
  };
}

function interruptedOf(own: readonly Group[]): Pick<Phase, 'interrupted'> {
  const calls = total(own, 'interrupted');
  const since = interruptedSince(own);
  return calls > 0 && since ? { interrupted: { calls, since: new Date(since).toISOString() } } : {};
}

export function roundLatency(latency: Latency): Latency {
  const { at_least, ...figures } = latency;
  const rounded = Object.entries(figures).map(([figure, ms]) => [figure, round(ms)]);
  return { ...Object.fromEntries(rounded), ...(at_least && { at_least }) };
}

/** @returns the number of calls with a latency; older documents have only answered calls */
export const callsOf = ({ calls, answered }: { calls?: number | null; answered?: number | null }): number =>
  calls ?? answered ?? 0;

/** @returns the number of iterations that were due until the actual end of the phase */
export function dueOf(phase: Phase, plan: Pick<Plan, 'phases'>): number {
  const planned = plan.phases.find(({ name }) => name === phase.name);
  const seconds = phase.completed ? (planned?.duration_s ?? phase.duration_s) : phase.duration_s;
  return phase.iterations_planned ?? (phase.offered_rps ?? 0) * seconds;
}

/** @returns arrivals per second, or VUs in a closed model */
export const loadOf = ({ offered_rps, vus }: Phase): number => offered_rps ?? vus ?? 0;

/**
 * @returns the phases with a higher load than the test's first load. A recovery phase is marked as an
 *   overload as well, so that it is not judged, but it is not a peak.
 */
export function peaks(phases: Phase[]): Phase[] {
  const first = phases.find((phase) => phase.measured && !phase.overload);
  const normal = first ? loadOf(first) : 0;
  return phases.filter((phase) => phase.measured && phase.overload && loadOf(phase) > normal);
}

/** Maximum gap between consecutive phases: k6's clock is accurate to some ten milliseconds. */
const MAX_GAP_MS = 500;

/** @returns whether there is no pause between the two phases */
export const followsDirectly = (before: Phase, phase: Phase): boolean =>
  Date.parse(phase.start ?? '') - Date.parse(before.end ?? '') < MAX_GAP_MS;
