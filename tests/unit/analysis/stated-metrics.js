/** What a run measured, as a test states it: without a histogram behind each figure. */

/**
 * @typedef {import('../../../analysis/metrics.ts').Metrics} Measurements
 * @typedef {import('../../../analysis/summary.ts').Scope} Scope
 * @typedef {import('../../../analysis/summary.ts').Latency} Latency
 * @typedef {{type?: string, values?: Record<string, number | null>, thresholds?: Record<string, {ok: boolean}>}} K6Metric
 */

/** @param {Record<string, string | undefined>} tags @returns {string} as k6 writes a submetric: `{phase:spike,kind:tool}` */
export function selector(tags) {
  const pairs = Object.entries(tags).map(([tag, value]) => `${tag}:${value}`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

/**
 * What a test says that was measured: k6's metrics by name and tags, as its end-of-test summary has them. A submetric without a
 * sample is absent or has a count of 0: both read the same.
 *
 * @implements {Measurements}
 */
export class StatedMetrics {
  #metrics;

  /** @param {Record<string, K6Metric>} metrics */
  constructor(metrics) {
    this.#metrics = metrics;
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
   * @returns {number | null} calls that were not answered within it; null: nobody counted them
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

  /** @returns {import('../../../analysis/metrics.ts').K6Threshold[]} sorted */
  thresholds() {
    return Object.entries(this.#metrics)
      .flatMap(([metric, { thresholds = {} }]) =>
        Object.entries(thresholds).map(([expression, { ok }]) => ({
          metric,
          expression,
          ok,
          doubt: null,
          values: this.#values(metric),
        })),
      )
      .sort((a, b) => (`${a.metric} ${a.expression}` < `${b.metric} ${b.expression}` ? -1 : 1));
  }
}
