/** Calls a tool that notifies all clients, and measures when its notifications arrive on the held streams. */
import { asText } from '../contract/as-text.js';
import { notificationDelay, notifyCalls } from './metrics.js';
import { TargetError } from './target-error.js';
import { until } from './until.js';

/** Minimum interval between the calls. */
const MIN_INTERVAL_S = 1;
/** Maximum mean number of notifications per second, because VUs have to handle them. */
const MAX_PER_S = 1000;
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/**
 * @typedef {{name: string, arguments: unknown}} NotifyTool the parameters of tools/call
 * @typedef {{at_s: number, phase: string}} NotifyCall at_s: seconds after the start of the load
 */

/**
 * Calls NOTIFY_TOOL once, to check it.
 *
 * @param {import('k6/x/mcp').Client} client
 * @returns {NotifyTool | null} null if NOTIFY_TOOL is not set
 * @throws {TargetError} if the call fails
 */
export function notifyTool(client) {
  const { NOTIFY_TOOL: name, NOTIFY_ARGS } = __ENV;
  if (!name) return null;
  const tool = { name, arguments: JSON.parse(NOTIFY_ARGS || '{}') };
  const { ok, failure } = client.callTool(tool);
  if (!ok)
    throw new TargetError(
      `the call of NOTIFY_TOOL (${name}) failed: ${asText(failure?.detail ?? failure?.kind)}`,
    );
  return tool;
}

/**
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @returns {NotifyCall[]} the times of the calls, in order: in each measured phase that holds streams, at equal
 *   intervals, the last one an interval before its end
 */
export function notifyCallsOf(phases) {
  return phases.flatMap(({ name, measured, start_s, duration_s, streams }) => {
    if (!measured || !streams) return [];
    const intervalS = Math.max(MIN_INTERVAL_S, streams / MAX_PER_S);
    const count = Math.max(1, Math.floor(duration_s / intervalS));
    return Array.from({ length: count }, (_, index) => ({ at_s: start_s + index * intervalS, phase: name }));
  });
}

/**
 * Makes the calls, without blocking the VU.
 *
 * @param {import('k6/x/mcp').Client} client
 * @param {NotifyTool} tool
 * @param {NotifyCall[]} calls
 * @param {number} startedMs Unix time at which the load starts
 */
export async function makeNotifyCalls(client, tool, calls, startedMs) {
  for (const { at_s, phase } of calls) {
    await until(startedMs + at_s * 1000);
    client.requestAsync('tools/call', tool).then(({ ok }) => notifyCalls.add(ok, { phase }));
  }
}

/**
 * @param {NotifyCall[]} calls
 * @param {number} startedMs Unix time at which the load starts
 * @returns {(method: string) => void} records a notification; it counts for the latest call
 */
export function notificationRecorder(calls, startedMs) {
  let next = 0;
  return (method) => {
    if (method === ACKNOWLEDGED) return;
    const now = Date.now();
    const timeOf = (/** @type {NotifyCall} */ { at_s }) => startedMs + at_s * 1000;
    for (let call = calls[next]; call && timeOf(call) <= now; call = calls[next]) next += 1;
    const latest = calls[next - 1];
    if (latest) notificationDelay.add(now - timeOf(latest), { phase: latest.phase });
  };
}
