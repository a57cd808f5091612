import { OUTCOMES } from './latencies.ts';
import { countsOf, reconcile } from './reconcile.js';
import { round } from './round.js';

/**
 * @typedef {object} Phase one phase of the run; figures are null where it is not measured (warm-up) or did not start
 * @property {string} name
 * @property {boolean} measured
 * @property {boolean} overload meant to be more than the server takes
 * @property {Record<string, string>} labels what varies between the phases of a table
 * @property {string | null} start ISO time
 * @property {string | null} end
 * @property {number} duration_s that it really took
 * @property {boolean} completed ran its whole length, and made all of its iterations where it has a number of them
 * @property {number | null} offered_rps iterations that arrive each second; null: a fixed number of users
 * @property {number | null} vus users of a phase with a fixed number of them
 * @property {number | null} iterations that made a request, or had its result from a cache
 * @property {number | null} [lost] iterations that ended without either
 * @property {number | null} iterations_planned
 * @property {number | null} achieved_rps iterations finished each second, until the phase ended
 * @property {number | null} requests HTTP requests, handshakes too
 * @property {number | null} requests_per_s
 * @property {number | null} [calls] that have a latency: all but those that were given up or interrupted
 * @property {number | null} answered calls that were answered, well or not
 * @property {number | null} failed requests
 * @property {number | null} dropped iterations that no user was free to make
 * @property {number | null} error_rate failed / requests
 * @property {import('./summary.js').Latency | null} latency_ms of all calls; null: there was none
 * @property {Record<string, {calls: number, latency_ms: import('./summary.js').Latency}>} [outcomes] by outcome (latencies.ts), if some failed
 * @property {Record<string, number>} [parts] shares of the latency (measured.ts)
 * @property {Connections} [connections]
 * @property {{calls: number, since: string}} [interrupted] calls that were open when k6 interrupted them; since: when the first began
 * @property {Record<string, number> | null} failures by kind
 * @property {number | null} items
 * @property {number | null} items_per_s
 */

/**
 * @typedef {object} Connections of a phase
 * @property {number} opened
 * @property {number} opened_per_s
 * @property {number | null} calls_per_connection requests, handshakes too; null: none was opened
 * @property {number} follow_ups requests less than a second after their client's last answer
 * @property {number} reopened follow-ups that opened a connection
 * @property {number} closed_by_server after its answer
 * @property {number} until_connected_p95_ms of all calls
 */

/** k6's own end of the run is known to some ten milliseconds: less than this is no phase cut short. */
const CUT_SHORT_S = 0.5;

/**
 * @param {import('./summary.js').Summary} summary
 * @returns {Phase[]}
 */
export function phases({ plan, startedMs, ranS, metrics }) {
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

/**
 * When a step of a sequence really ran: nothing of it was planned.
 *
 * @param {import('./summary.js').PlannedPhase} planned
 * @param {number | null} startedMs
 * @param {import('./metrics.ts').Metrics} metrics
 * @returns {Pick<Phase, 'start' | 'end' | 'duration_s' | 'completed'>}
 */
function stepSlot({ name, measured, iterations }, startedMs, metrics) {
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
 *
 * @param {import('./summary.js').PlannedPhase} planned
 * @param {number | null} startedMs
 * @param {number} ranS
 * @param {import('./metrics.ts').Metrics} metrics
 * @returns {Pick<Phase, 'start' | 'end' | 'duration_s' | 'completed'>}
 */
function slotOf(planned, startedMs, ranS, metrics) {
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

/**
 * @param {import('./summary.js').PlannedPhase} planned
 * @param {number} durationS
 * @param {import('./metrics.ts').Metrics} metrics
 */
function figuresOf(planned, durationS, metrics) {
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
  /** @param {number} count */
  const perSecond = (count) => (durationS > 0 ? round(count / durationS) : null);
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

/** @param {import('./latencies.ts').Latencies} latencies @returns {Phase['outcomes']} of the outcomes that calls had */
function outcomesOf(latencies) {
  const had = OUTCOMES.flatMap((outcome) => {
    const latency = latencies.latencyOf(outcome);
    return latency
      ? [[outcome, { calls: latencies.of(outcome).count, latency_ms: roundLatency(latency) }]]
      : [];
  });
  return Object.fromEntries(had);
}

/**
 * @param {import('./summary.js').Scope} tags
 * @param {number} durationS
 * @param {import('./metrics.ts').Metrics} metrics
 * @returns {Pick<Phase, 'parts' | 'connections'>} nothing where nobody measured it
 */
function openingOf(tags, durationS, metrics) {
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

/** @param {import('./summary.js').Scope} tags @param {import('./metrics.ts').Metrics} metrics @returns {Pick<Phase, 'interrupted'>} */
function interruptedOf(tags, metrics) {
  const calls = metrics.count('mcp_interrupted', tags);
  const since = metrics.interruptedSince?.(tags);
  return calls > 0 && since ? { interrupted: { calls, since: new Date(since).toISOString() } } : {};
}

/** @param {import('./summary.js').Latency} latency @returns {import('./summary.js').Latency} */
export function roundLatency(latency) {
  const { at_least, ...figures } = latency;
  const rounded = Object.entries(figures).map(([figure, ms]) => [figure, round(ms)]);
  return { ...Object.fromEntries(rounded), ...(at_least && { at_least }) };
}

/** @param {{calls?: number | null, answered?: number | null}} figures @returns {number} calls with a latency; older documents have answered ones alone */
export const callsOf = ({ calls, answered }) => calls ?? answered ?? 0;

/** @param {Phase} phase @returns {number} what it offers: arrivals a second, or users */
export const loadOf = ({ offered_rps, vus }) => offered_rps ?? vus ?? 0;

/**
 * @param {Phase[]} phases
 * @returns {Phase[]} those that were given more than the test's first load on purpose. A phase in which the
 *   server may recover is an overload too, as far as judging goes, but not one of these.
 */
export function peaks(phases) {
  const first = phases.find((phase) => phase.measured && !phase.overload);
  const normal = first ? loadOf(first) : 0;
  return phases.filter((phase) => phase.measured && phase.overload && loadOf(phase) > normal);
}
