/**
 * PromQL that panels are made of. Every function returns an expression as text.
 *
 * k6 pushes a series only in an interval in which it changed, and its first push already holds the first
 * interval's count. `rate()` and `increase()` need two samples in their window, so they never see that first push:
 * the first two seconds of every phase, or a burst of failures that fits into one push. An increase is therefore the
 * difference of two last values, and a series that is new counts from zero. No k6 counter ever resets: a run is one
 * `testid`, and its last value is the run's total.
 */

/** How long a counter may stay silent and still be continued, not taken for a new one. */
const COUNTER_MEMORY = '1d';
/** The same for native histograms, of which a sample is a hundred times as large. */
const HISTOGRAM_MEMORY = '1h';

/**
 * @param {string} metric k6's own name, for example `mcp_requests_total`
 * @returns {string} the selected run's series of it
 */
export function ofRun(metric) {
  return `k6_${metric}{testid="$testid"}`;
}

/**
 * @param {string} metric counter or native histogram, as `ofRun` takes it
 * @param {string} memory longest silence within a series
 * @returns {string} what was added within the rate interval, by series
 */
function increase(metric, memory) {
  const now = `last_over_time(${ofRun(metric)}[$__rate_interval])`;
  const before = `last_over_time(${ofRun(metric)}[${memory}] offset $__rate_interval)`;
  return `${now} - (${before} or 0 * ${now})`;
}

/**
 * @param {string} metric counter, as `ofRun` takes it
 * @param {string} [by] label to keep
 * @returns {string} increase per second; nothing where nothing was counted
 */
export function perSecond(metric, by) {
  return `sum${by ? ` by (${by})` : ''}(${increase(metric, COUNTER_MEMORY)}) / ($__rate_interval_ms / 1000)`;
}

/**
 * @param {string} metric counter, as `ofRun` takes it
 * @param {string} [by] label to keep
 * @returns {string} the total since the run began
 */
export function total(metric, by) {
  return `sum${by ? ` by (${by})` : ''}(last_over_time(${ofRun(metric)}[$__range]))`;
}

/**
 * k6 does not export a counter that nothing was added to. Where its absence means zero, it is zero for as long as
 * the run itself is there.
 *
 * @param {string} expression
 * @param {string} present an expression that has data whenever the run does, with the same labels
 * @returns {string}
 */
export function orZero(expression, present) {
  return `(${expression} or 0 * ${present})`;
}

/**
 * @param {number} quantile 0 to 1
 * @param {string} metric native histogram, as `ofRun` takes it
 * @returns {string} seconds, of what was measured within the rate interval
 */
export function percentile(quantile, metric) {
  return `histogram_quantile(${quantile}, sum(${increase(metric, HISTOGRAM_MEMORY)}))`;
}

/**
 * @param {number} quantile 0 to 1
 * @param {string} metric native histogram, as `ofRun` takes it
 * @param {string} [by] label to keep
 * @returns {string} seconds, of everything that was measured since the run began
 */
export function percentileOfRun(quantile, metric, by) {
  return `histogram_quantile(${quantile}, ${total(metric, by)})`;
}

/**
 * What the running phases offered, averaged over the same seconds as `perSecond`, so that the two lie on each other
 * where the load is delivered. A phase counts with its pushes: it has none after its end, although its last value
 * stays in Prometheus until the run ends.
 *
 * @returns {string} arrivals per second; nothing in a phase of a fixed number of users, which has no rate to offer
 */
export function offeredRate() {
  const gauge = `${ofRun('mcp_offered_rps')}[$__rate_interval]`;
  return `sum(sum_over_time(${gauge})) / sum(count_over_time(${gauge}))`;
}

/**
 * @param {string} metric counter, as `ofRun` takes it
 * @returns {string} when each phase's first push arrived, Unix time in milliseconds
 */
export function phaseStarts(metric) {
  const first = `min by (phase) (min_over_time(timestamp(${ofRun(metric)})[$__rate_interval:1s]))`;
  const known = `count by (phase) (last_over_time(${ofRun(metric)}[${COUNTER_MEMORY}] offset $__rate_interval))`;
  return `1000 * (${first} unless ${known})`;
}
