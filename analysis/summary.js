/**
 * Reads what a k6 run left: measured.json of the output lab; or, of several generators, the document that streamed-summary.js makes of what is
 * in Prometheus, which has the shape of k6's legacy end-of-test summary.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
 * @typedef {object} Plan
 * @property {string} testid
 * @property {string} test
 * @property {string} [title]
 * @property {string} profile
 * @property {string} workload
 * @property {{url: string, confirm?: string, era?: string | null, dialect?: string | null, protocol_version?: string | null,
 *   server?: {name?: string | null, version?: string | null} | null}} target
 * @property {PlannedPhase[]} phases
 * @property {{operation: string, method: string, class: string, share?: number, example?: unknown}[]} operations
 * @property {{operation: string, reason: string}[]} [left_out] what discovery found and the test does not call
 * @property {number | null} [expected_requests] of the measured phases; null: as many as users without a pause can make
 * @property {Objective[]} objectives
 * @property {boolean} objectives_off
 * @property {number} [other_cpu_limit] see OTHER_CPU_LIMIT in trust-rules.js
 * @property {{cores: number, memory_bytes: number} | null} reference_machine
 * @property {boolean} [sequence] its phases are steps, each of which began when the one before had ended
 * @property {boolean} [raw] every sample was written to a file, too
 *
 * @typedef {object} Summary
 * @property {Plan} plan
 * @property {number | null} startedMs Unix time of the phases' zero; null: the run ended in set-up
 * @property {number} ranS seconds from the phases' zero to the end of the whole run
 * @property {Metrics} metrics
 * @property {Streamed | null} streamed null: from what each generator counted
 *
 * @typedef {object} Streamed k6 kept no sample: figures come from counters and histograms in Prometheus
 * @property {number} percentile_error how far off a percentile may be, as a share of it
 * @property {number} failed_pushes times that k6 could not write to Prometheus
 * @property {string[]} problems what is missing, in a sentence each
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
 *
 * @typedef {{type?: string, values?: Record<string, number | null>, thresholds?: Record<string, {ok: boolean}>}} K6Metric
 */

const validate = validator('summary.schema.json');

/**
 * @param {string} directory a run's results
 * @returns {({summary: Summary, problem: null} | {summary: null, problem: string}) & {abort?: import('./measured.ts').Abort | null}} the
 *   problem is one plain line; abort: why the script ended its test
 */
export function readSummary(directory) {
  /** @param {string} problem */
  const failed = (problem) => ({ summary: null, problem: cleanText(problem, []) });
  if (hasMeasured(directory)) return readFromMeasured(directory, failed);
  let text;
  try {
    text = readFileSync(join(directory, 'summary.json'), 'utf8');
  } catch (error) {
    const missing = /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT';
    return failed(missing ? 'k6 left no measured.json' : `summary.json can't be read: ${String(error)}`);
  }
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return failed(`summary.json is not JSON: ${/** @type {Error} */ (error).message}`);
  }
  const problem = validate(document);
  if (problem) return failed(`summary.json is not a mcp-load-lab/summary/1 document: ${problem}`);
  const { plan, started_ms, streamed = null, k6 } = document;
  return {
    summary: {
      plan,
      startedMs: started_ms,
      ranS: k6.state.testRunDurationMs / 1000,
      metrics: new K6Metrics(k6.metrics),
      streamed,
    },
    problem: null,
  };
}

/**
 * @param {string} directory
 * @param {(problem: string) => {summary: null, problem: string}} failed
 * @returns {ReturnType<typeof readSummary>}
 */
function readFromMeasured(directory, failed) {
  const measured = readMeasured(directory);
  if (!measured) return failed('measured.json is not a mcp-load-lab/measured/1 document');
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
      streamed: null,
    },
    problem: null,
    abort,
  };
}

/** @param {unknown} plan @returns {string | null} the first thing that is wrong with it, null = a plan */
export function validatePlan(plan) {
  const around = {
    schema: 'mcp-load-lab/summary/1',
    started_ms: null,
    k6: { metrics: {}, state: { testRunDurationMs: 0 } },
  };
  return validate({ ...around, plan });
}

/** @param {Record<string, string | undefined>} tags @returns {string} as k6 writes a submetric: `{phase:spike,kind:tool}` */
export function selector(tags) {
  const pairs = Object.entries(tags).map(([tag, value]) => `${tag}:${value}`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

/**
 * k6's metrics by name and tags. A submetric without a sample is absent or has a count of 0: both read the same.
 *
 * @implements {Metrics}
 */
export class K6Metrics {
  #metrics;

  /** @param {Record<string, K6Metric>} metrics */
  constructor(metrics) {
    this.#metrics = metrics;
  }

  /**
   * @param {K6Metrics[]} others of runs whose phases have different names
   * @returns {K6Metrics} what is known by phase as it is; of the rest, where more than one run has it, the counts
   */
  with(...others) {
    /** @type {Record<string, K6Metric>} */
    const all = {};
    for (const [key, metric] of [this, ...others].flatMap((run) => Object.entries(run.#metrics))) {
      const known = all[key];
      all[key] = known && !/\{(phase|scenario):/.test(key) ? added(known, metric) : metric;
    }
    return new K6Metrics(all);
  }

  withoutThresholds() {
    const entries = Object.entries(this.#metrics).map(([key, { thresholds: _, ...metric }]) => [key, metric]);
    return new K6Metrics(Object.fromEntries(entries));
  }

  /** @param {string} key @returns {Record<string, number | null>} */
  #values(key) {
    return this.#metrics[key]?.values ?? {};
  }

  /**
   * @param {string} name a Counter or Trend
   * @param {Scope & {scenario?: string}} tags
   * @returns {number} its count, 0 without a sample
   */
  count(name, tags = {}) {
    return this.#values(name + selector(tags)).count ?? 0;
  }

  /**
   * @param {Scope} tags
   * @param {string} [name] a Trend in milliseconds
   * @returns {{count: number, latency: Latency | null}} null where nothing was answered
   */
  latency(tags, name = 'mcp_request_duration') {
    const values = this.#values(name + selector(tags));
    const count = values.count ?? 0;
    if (count === 0) return { count, latency: null };
    /** @param {...string} keys */
    const pick = (...keys) => keys.map((key) => values[key]).find((value) => value != null) ?? Number.NaN;
    const latency = {
      min: pick('min'),
      avg: pick('avg'),
      p50: pick('p(50)', 'med'),
      p75: pick('p(75)'),
      p90: pick('p(90)'),
      p95: pick('p(95)'),
      p99: pick('p(99)'),
      p999: pick('p(99.9)'),
      max: pick('max'),
    };
    // No time is less than none.
    const complete = Object.values(latency).every((value) => Number.isFinite(value) && value >= 0);
    return { count, latency: complete ? latency : null };
  }

  /** @param {Scope} tags @returns {{failed: number, total: number}} requests judged as failed or not */
  failed(tags) {
    const values = this.#values(`mcp_request_failed${selector(tags)}`);
    const failed = values.passes ?? 0;
    return { failed, total: failed + (values.fails ?? 0) };
  }

  /**
   * @param {Scope} tags
   * @param {number} limit milliseconds, of an objective with these tags
   * @returns {number | null} answered requests that took so long or longer; null: nobody counted them
   */
  slow(tags, limit) {
    return this.#values(`mcp_slow${selector({ ...tags, limit: String(limit) })}`).passes ?? null;
  }

  /** @param {Scope} tags exactly one tag @returns {Record<string, number>} failures by kind, those that happened, in a fixed order */
  failures(tags) {
    const prefix = `mcp_failures${selector(tags).slice(0, -1)},kind:`;
    return Object.fromEntries(
      Object.keys(this.#metrics)
        .filter((key) => key.startsWith(prefix))
        .map((key) => /** @type {const} */ ([key.slice(prefix.length, -1), this.#values(key).count ?? 0]))
        .filter(([, count]) => count > 0)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  /**
   * @param {string} name a Gauge
   * @param {Record<string, string>} tags
   * @returns {{min: number, max: number}} both 0 without a sample, as k6 has it
   */
  gauge(name, tags = {}) {
    const values = this.#values(name + selector(tags));
    return { min: values.min ?? 0, max: values.max ?? 0 };
  }

  /** @returns {{metric: string, expression: string, ok: boolean, values: Record<string, number | null>}[]} sorted */
  thresholds() {
    return Object.entries(this.#metrics)
      .flatMap(([metric, { thresholds = {} }]) =>
        Object.entries(thresholds).map(([expression, { ok }]) => ({
          metric,
          expression,
          ok,
          values: this.#values(metric),
        })),
      )
      .sort((a, b) => (`${a.metric} ${a.expression}` < `${b.metric} ${b.expression}` ? -1 : 1));
  }
}

/**
 * @param {K6Metric} a
 * @param {K6Metric} b of another run
 * @returns {K6Metric} counts added, extremes kept; what can't be had from two runs' figures, percentiles, is not there
 */
function added(a, b) {
  const [one, other] = [a.values ?? {}, b.values ?? {}];
  /** @type {Record<string, number>} */
  const values = {};
  for (const name of ['count', 'passes', 'fails']) {
    if (name in one || name in other) values[name] = (one[name] ?? 0) + (other[name] ?? 0);
  }
  if (a.type === 'gauge') {
    values.min = Math.min(one.min ?? 0, other.min ?? 0);
    values.max = Math.max(one.max ?? 0, other.max ?? 0);
  }
  return { ...(a.type && { type: a.type }), values };
}
