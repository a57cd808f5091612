/**
 * How far a test is, with figures of k6's own API: a line every ten seconds of each measured phase, of a sequence one every five
 * seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_S = 10;
const STEPS_INTERVAL_S = 5;

/**
 * @typedef {{name: string, seconds: number, at_s: number}} Moment to tell of: so many seconds of that phase
 *
 * @typedef {{id: string, attributes: {sample: Record<string, number>}}} ApiMetric
 */

/**
 * @param {import('./summary.js').PlannedPhase[]} phases
 * @returns {Moment[]}
 */
export function moments(phases) {
  return phases
    .filter(({ measured }) => measured)
    .flatMap(({ name, start_s, duration_s }) => {
      const count = Math.ceil(duration_s / INTERVAL_S) - 1;
      const seconds = Array.from({ length: Math.max(0, count) }, (_, index) => (index + 1) * INTERVAL_S);
      return [0, ...seconds].map((elapsed) => ({ name, seconds: elapsed, at_s: start_s + elapsed }));
    });
}

/**
 * @param {Moment} moment
 * @param {ApiMetric[]} metrics
 * @returns {string}
 */
export function line({ name, seconds }, metrics) {
  if (seconds === 0) return `Running ${name}...`;
  const requests = sampleOf(metrics, 'mcp_requests', name)?.count ?? 0;
  const average = sampleOf(metrics, 'mcp_request_duration', name)?.avg;
  const latency = requests > 0 && average !== undefined ? `${average.toFixed(2)}ms` : '-';
  return `  ${seconds}s: ${requests} requests, avg latency: ${latency}`;
}

/**
 * @param {import('./summary.js').PlannedPhase[]} phases of a sequence
 * @param {ApiMetric[]} metrics
 * @returns {string | null} null: every step has been made
 */
export function stepLine(phases, metrics) {
  const steps = phases.filter(({ measured }) => measured);
  // What a step made is counted when it is over.
  const now = steps.findIndex(({ name }) => !sampleOf(metrics, 'mcp_step_iterations', name)?.count);
  const step = steps[now];
  if (!step) return null;
  const calls = sampleOf(metrics, 'mcp_requests', step.name)?.count ?? 0;
  return `step ${now + 1} of ${steps.length}: ${step.name}, ${calls} of ${step.iterations} calls`;
}

/** @param {ApiMetric[]} metrics @param {string} metric @param {string} phase */
function sampleOf(metrics, metric, phase) {
  return metrics.find(({ id }) => id === `${metric}{phase:${phase}}`)?.attributes.sample;
}

/**
 * @param {string} address
 * @returns {Promise<ApiMetric[] | null>} null: it does not listen yet, or any more
 */
async function metricsOf(address) {
  try {
    const response = await fetch(`http://${address}/v1/metrics`, {
      signal: AbortSignal.timeout(2000),
    });
    return /** @type {{data: ApiMetric[]}} */ (await response.json()).data;
  } catch {
    return null;
  }
}

/**
 * Tells how far a run is until it is over.
 *
 * @param {string} address of k6's API
 * @param {{phases: import('./summary.js').PlannedPhase[], sequence?: boolean}} plan
 * @param {(line: string) => void} say
 * @param {AbortSignal} over
 */
export async function tellProgress(address, { phases, sequence }, say, over) {
  const wait = (/** @type {number} */ ms) => sleep(ms, undefined, { signal: over }).catch(() => {});
  let zeroS = 0;
  while (zeroS === 0 && !over.aborted) {
    await wait(100);
    const metrics = await metricsOf(address);
    zeroS = metrics?.find(({ id }) => id === 'mcp_started_seconds')?.attributes.sample.value ?? 0;
  }
  while (sequence && !over.aborted) {
    const metrics = await metricsOf(address);
    const text = metrics && stepLine(phases, metrics);
    if (!text) return;
    say(text);
    await wait(STEPS_INTERVAL_S * 1000);
  }
  for (const moment of sequence ? [] : moments(phases)) {
    await wait(Math.max(0, (zeroS + moment.at_s) * 1000 - Date.now()));
    if (over.aborted) return;
    say(line(moment, (await metricsOf(address)) ?? []));
  }
}
