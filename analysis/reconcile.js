/**
 * Iterations against requests. Each iteration that k6 counts ends in one request, as a success or as a failure with a kind, or
 * in one result from a cache; requests beyond that one are counted (`mcp_additional_requests`). What is missing is an exception
 * that was counted, or nobody knows where it went.
 */

/**
 * @typedef {object} Counts of one phase
 * @property {number} iterations as k6 counts them: those that ended, with an exception or without
 * @property {number} requests
 * @property {number} further requests beyond one for each iteration
 * @property {number} cached results that took no request
 * @property {number} exceptions
 * @property {number} vus each may have made a request in an iteration that the phase's end cut off, and k6 does not count
 *
 * @typedef {object} Reconciled
 * @property {number} calls that ended: as many as the iterations that made one
 * @property {number} lost iterations without a request
 * @property {number} unexplained of these, those without an exception
 * @property {number} surplus calls without an iteration, beyond those that the phase's end can have cut off
 */

/** @param {Counts} counts @returns {Reconciled} */
export function reconcile({ iterations, requests, further, cached, exceptions, vus }) {
  const calls = requests - further + cached;
  const lost = Math.min(iterations, Math.max(0, iterations - calls));
  return {
    calls,
    lost,
    unexplained: Math.max(0, lost - exceptions),
    surplus: Math.max(0, calls - iterations - vus),
  };
}

/**
 * @param {Pick<import('./summary.js').PlannedPhase, 'name' | 'max_vus' | 'vus'>} planned
 * @param {import('./metrics.ts').Metrics} metrics
 * @returns {Counts}
 */
export function countsOf({ name, max_vus, vus }, metrics) {
  const tags = { phase: name };
  return {
    // k6 counts a sequence as one iteration.
    iterations: metrics.count('mcp_step_iterations', tags) || metrics.count('iterations', tags),
    requests: metrics.count('mcp_requests', tags),
    further: metrics.count('mcp_additional_requests', tags),
    cached: metrics.count('mcp_cache_hits', tags),
    exceptions: metrics.count('mcp_exceptions', tags),
    vus: max_vus ?? vus ?? metrics.gauge('vus_max').max,
  };
}

/**
 * @typedef {Counts & Reconciled & {phase: string}} ReconciledPhase
 *
 * @typedef {object} Ledger
 * @property {ReconciledPhase[]} phases the measured ones that ran
 * @property {number} iterations of all phases, the warm-up's too
 * @property {number} exceptions of all phases, the warm-up's too
 * @property {Record<string, number>} exceptionsOf by operation, those that had any
 */

/**
 * @param {import('./summary.js').Summary[]} runs one, or one of each trial
 * @param {import('./phases.js').Phase[]} phases of all of them
 * @returns {Ledger}
 */
export function ledger(runs, phases) {
  const ran = new Set(phases.filter(({ start }) => start !== null).map(({ name }) => name));
  /** @type {Ledger} */
  const all = { phases: [], iterations: 0, exceptions: 0, exceptionsOf: {} };
  for (const { plan, metrics } of runs) {
    let ofPhases = 0;
    for (const planned of plan.phases) {
      // When a step that was cut off began, and how many calls it had made, nobody has counted.
      if (!planned.measured || !ran.has(planned.name)) continue;
      const counts = countsOf(planned, metrics);
      ofPhases += counts.iterations;
      all.phases.push({ phase: planned.name, ...counts, ...reconcile(counts) });
    }
    all.iterations += Math.max(ofPhases, metrics.count('iterations'));
    all.exceptions += metrics.count('mcp_exceptions');
    for (const { operation } of plan.operations) {
      const count = metrics.count('mcp_exceptions', { operation });
      if (count > 0) all.exceptionsOf[operation] = (all.exceptionsOf[operation] ?? 0) + count;
    }
  }
  return all;
}
