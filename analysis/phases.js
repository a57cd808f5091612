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
 * @property {number | null} achieved_rps iterations made each second
 * @property {number | null} requests HTTP requests, handshakes too
 * @property {number | null} requests_per_s
 * @property {number | null} answered requests with a latency
 * @property {number | null} failed requests
 * @property {number | null} dropped iterations that no user was free to make
 * @property {number | null} error_rate failed / requests
 * @property {import('./summary.js').Latency | null} latency_ms null where nothing was answered
 * @property {Record<string, number> | null} failures by kind
 * @property {number | null} items
 * @property {number | null} items_per_s
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
  /** @param {number} count */
  const perSecond = (count) => (durationS > 0 ? round(count / durationS) : null);
  return {
    iterations,
    lost,
    achieved_rps: perSecond(iterations),
    requests,
    requests_per_s: perSecond(requests),
    answered: count,
    failed,
    // The one tag that k6 gives an iteration that it could not start; a phase's scenario has the phase's name.
    dropped: metrics.count('dropped_iterations', { scenario: name }),
    error_rate: total > 0 ? round(failed / total, 6) : null,
    latency_ms: latency && roundLatency(latency),
    failures: metrics.failures(tags),
    items: items > 0 ? items : null,
    items_per_s: items > 0 ? perSecond(items) : null,
  };
}

/** @param {import('./summary.js').Latency} latency @returns {import('./summary.js').Latency} */
export function roundLatency(latency) {
  const rounded = Object.entries(latency).map(([figure, ms]) => [figure, round(ms)]);
  return Object.fromEntries(rounded);
}

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
