import {
  counterOf,
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
  /** Users' time for opening sessions, added up, seconds; absent: they opened none. */
  handshakes_s?: number;
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
  error_rate: null,
  latency_ms: null,
  failures: null,
  items: null,
  items_per_s: null,
};

/** When a step of a sequence really ran: nothing of it was planned. */
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
    // The shortest take milliseconds.
    duration_s: round(endS - startS, 4),
    completed: counterOf(own, 'mcp_step_iterations') === iterations,
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
    error_rate: requests > 0 ? round(failed / requests, 6) : null,
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

/** @returns nothing if no latency has parts */
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

/** @returns calls with a latency; older documents have answered ones alone */
export const callsOf = ({ calls, answered }: { calls?: number | null; answered?: number | null }): number =>
  calls ?? answered ?? 0;

/** @returns iterations that were due; of a phase that was cut short, until its end */
export function dueOf(phase: Phase, plan: Pick<Plan, 'phases'>): number {
  const planned = plan.phases.find(({ name }) => name === phase.name);
  const seconds = phase.completed ? (planned?.duration_s ?? phase.duration_s) : phase.duration_s;
  return phase.iterations_planned ?? (phase.offered_rps ?? 0) * seconds;
}

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

/** Phases that follow one another; k6's clock is good for some ten milliseconds. */
const MAX_GAP_MS = 500;

/** @returns whether nothing is between the end of one and the start of the other */
export const followsDirectly = (before: Phase, phase: Phase): boolean =>
  Date.parse(phase.start ?? '') - Date.parse(before.end ?? '') < MAX_GAP_MS;
