/**
 * Everything that the analysis asks Prometheus. A run without it keeps its client figures.
 */
import { PrometheusError } from './prometheus.js';
import { observeRecovery, planRecoveries } from './recovery.js';
import { observeSignals, untilCovered } from './signals.js';
import { collectTimeline } from './timeline.js';

/**
 * @typedef {object} Server
 * @property {import('./signals.js').Signal[]} signals
 * @property {string[]} silent
 * @property {string[]} ambiguous
 * @property {import('./recovery.js').Recovery[]} recoveries one an overload
 * @property {import('./timeline.js').Timeline | null} timeline
 * @property {string | null} problem why there is nothing
 */

/**
 * @param {import('./prometheus.js').Prometheus | null} prometheus null: none was named
 * @param {import('./summary.js').Plan} plan
 * @param {import('./phases.js').Phase[]} phases
 * @param {string} server the label of the rules that watch the server under test; '' = none does
 * @param {readonly string[]} [folders] of what the output lab wrote; none: it did not
 * @returns {Promise<Server>} never throws for what Prometheus does
 */
export async function observe(prometheus, plan, phases, server, folders = []) {
  /** @type {Server} */
  const nothing = { signals: [], silent: [], ambiguous: [], recoveries: [], timeline: null, problem: null };
  const end = phases.findLast((phase) => phase.end !== null)?.end;
  if (!end) return nothing;
  if (!prometheus) return { ...nothing, problem: 'the run was without Prometheus' };
  try {
    await untilCovered(prometheus, Date.parse(end) / 1000);
    const observed = await observeSignals(prometheus, { testid: plan.testid, server }, phases);
    const timeline = await collectTimeline(prometheus, { testid: plan.testid, server }, phases, folders);
    const recoveries = [];
    for (const toAsk of planRecoveries(phases, plan.objectives))
      recoveries.push(await observeRecovery(prometheus, plan.testid, toAsk, folders));
    return { ...nothing, ...observed, recoveries, timeline };
  } catch (error) {
    if (error instanceof PrometheusError) return { ...nothing, problem: error.message };
    throw error;
  }
}
