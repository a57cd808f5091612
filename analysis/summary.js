/** Reads what a k6 run left: measured.json of the output lab. */
import { cleanText } from './clean-text.js';
import { abortOf, hasMeasured, readMeasured, withServer } from './measured.ts';
import { MeasuredMetrics } from './measured-metrics.ts';
import { validator } from './schemas.js';

/** @typedef {import('./metrics.ts').Metrics} Metrics */

/**
 * @typedef {object} PlannedPhase
 * @property {string} name
 * @property {boolean} measured
 * @property {number} start_s seconds after `started_ms`
 * @property {number} duration_s
 * @property {number | null} [offered_rps]
 * @property {number | null} [vus]
 * @property {number | null} [max_vus]
 * @property {number | null} [iterations]
 * @property {boolean} [overload]
 * @property {string} [operation] the only operation that the phase calls
 * @property {number[]} [weights] of 100, of the plan's operations, where the phase has a mix of its own
 * @property {Record<string, string | number>} [labels]
 * @property {number} [warm_ups] of a step: calls before the measured ones
 *
 * @typedef {{phase?: string, operation?: string, class?: string}} Scope {} = the whole run
 *
 * @typedef {object} Objective
 * @property {Scope} scope
 * @property {string} metric
 * @property {'<' | '<=' | '>' | '>='} op
 * @property {number} limit
 * @property {number} [min_samples] with fewer, of a relative objective on either side, it is not judged
 * @property {{phase: string}} [relative_to]
 * @property {{metric: string, expression: string}} [k6]
 *
 * @typedef {{calls: number, bytes: number, tools_bytes: number, ttl_ms: number}} Listing of all that a server offers
 *
 * @typedef {object} Plan
 * @property {string} testid
 * @property {string} test
 * @property {string} [title]
 * @property {string} profile
 * @property {string} workload
 * @property {{url: string, confirm?: string, era?: string | null, dialect?: string | null, protocol_version?: string | null,
 *   server?: {name?: string | null, version?: string | null} | null, listing?: Listing}} target
 * @property {PlannedPhase[]} phases
 * @property {{operation: string, method: string, class: string, share?: number, example?: unknown}[]} operations
 * @property {{operation: string, reason: string, failed?: string, add?: string}[]} [left_out] what discovery found and the test does not call;
 *   failed: how the server failed when it was tried
 * @property {number | null} [expected_requests] of the measured phases; null: as many as users without a pause can make
 * @property {Objective[]} objectives
 * @property {boolean} objectives_off
 * @property {boolean} [documents] the objectives are the limits of the benchmark documents; false: what every server owes
 * @property {number} [other_cpu_limit] see OTHER_CPU_LIMIT in trust-rules.js
 * @property {{cores: number, memory_bytes: number} | null} reference_machine
 * @property {Longer} [longer] what the test is in the next longer profile; absent: it is the same, there is none, or it takes several k6 runs
 * @property {boolean} [sequence] its phases are steps, each of which began when the one before had ended
 *
 * @typedef {{profile: string, peak_rps: number | null, users: number, duration_s: number}} Longer peak_rps: null in a test without arrival
 *   rates; users: the most at a time
 *
 * @typedef {object} Summary
 * @property {Plan} plan
 * @property {number | null} startedMs Unix time of the phases' zero; null: the run ended in set-up
 * @property {number} ranS seconds from the phases' zero to the end of the whole run
 * @property {Metrics} metrics
 *
 * @typedef {object} Latency milliseconds
 * @property {number} min
 * @property {number} avg
 * @property {number} p50
 * @property {number} p75
 * @property {number} p90
 * @property {number} p95
 * @property {number} p99
 * @property {number} p999
 * @property {number} max
 * @property {('min' | 'avg' | 'p50' | 'p75' | 'p90' | 'p95' | 'p99' | 'p999' | 'max')[]} [at_least] lower bounds: calls without an answer
 *   count with the time that they waited
 */

const validate = validator('plan.schema.json');

/**
 * @param {string} directory a run's results
 * @returns {({summary: Summary, problem: null} | {summary: null, problem: string}) & {abort?: import('./measured.ts').Abort | null,
 *   measured?: import('./measured.ts').Measured}} the problem is one plain line; abort: why the script ended its test; measured: of a summary
 */
export function readSummary(directory) {
  /** @param {string} problem */
  const failed = (problem) => ({ summary: null, problem: cleanText(problem, []) });
  if (!hasMeasured(directory)) return failed('k6 left no measured.json');
  const measured = readMeasured(directory);
  if (!measured) return failed('measured.json is not a mcp-load-lab/measured/2 document');
  const { plan, began, ended } = measured;
  const abort = abortOf(measured.end);
  const problem = validatePlan(plan);
  if (problem) return { ...failed(`measured.json has no plan of a test: ${problem}`), abort };
  const metrics = new MeasuredMetrics([measured]);
  const startedMs = Math.round(metrics.gauge('mcp_started_seconds').min * 1000);
  return {
    summary: {
      plan: withServer(/** @type {Plan} */ (plan), measured),
      startedMs: startedMs || null,
      ranS: (ended - (startedMs || began)) / 1000,
      metrics,
    },
    problem: null,
    abort,
    measured,
  };
}

/** @param {unknown} plan @returns {string | null} the first thing that is wrong with it, null = a plan */
export const validatePlan = (plan) => validate(plan);
