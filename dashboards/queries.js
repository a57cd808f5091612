/**
 * PromQL that panels are made of. Every function returns an expression as text.
 *
 * k6 pushes a series only in an interval in which it changed, and its first push already holds the first
 * interval's count. `rate()` and `increase()` need two samples in their window, so they never see that first push:
 * the first two seconds of every phase, or a burst of failures that fits into one push. An increase of k6's is
 * therefore the difference of two last values, and a series that is new counts from zero. No k6 counter ever resets:
 * a run is one `testid`, and its last value is the run's total. What is scraped (servers, exporters) does reset, and
 * is read with `rate()`: see `rate` below.
 *
 * `where` is a matcher of labels such as `phase="spike"`, or several with commas between them. `by` is a label to
 * keep, or several with commas between them.
 */

/** What most panels are about: k6's metrics, as `ofRun` takes them. */
export const DURATION = 'mcp_request_duration_seconds';
export const REQUESTS = 'mcp_requests_total';
export const FAILURES = 'mcp_failures_total';
export const ITERATIONS = 'iterations_total';
export const DROPPED = 'dropped_iterations_total';

/** How long a counter may stay silent and still be continued, not taken for a new one. */
const COUNTER_MEMORY = '1d';
/** The same for native histograms, of which a sample is a hundred times as large. */
const HISTOGRAM_MEMORY = '1h';
/** What set-up says once is true for the whole run, also where the time range begins later. */
const RUN_MEMORY = '30d';

/** @param {string[]} matchers @returns {string} '' where there is none */
function selector(matchers) {
  const given = matchers.filter((matcher) => matcher !== '');
  return given.length > 0 ? `{${given.join(', ')}}` : '';
}

/** @param {string} by */
const grouping = (by) => (by ? ` by (${by})` : '');

/**
 * @param {string} metric k6's own name, for example `mcp_requests_total`
 * @param {string} [where]
 * @returns {string} the selected run's series of it
 */
export function ofRun(metric, where = '') {
  return `k6_${metric}${selector(['testid="$testid"', where])}`;
}

/**
 * @param {string} metric as `ofRun` takes it; said once, in the run's set-up
 * @param {string} [where]
 * @returns {string}
 */
export function saidByRun(metric, where) {
  // At the end of the time range: the same for every step, so it is looked up once.
  return `last_over_time(${ofRun(metric, where)}[${RUN_MEMORY}] @ end())`;
}

/**
 * @param {string} name of a signal or a detail, for example `signal:pool_used:ratio`
 * @param {string} [where]
 * @returns {string} what is known of the server that the run loads, and of the machine and the stack: those have no
 *   label `server`
 */
export function ofServer(name, where = '') {
  // A generator's are its run's.
  const whose = name.startsWith('signal:generator_') ? 'testid="$testid"' : 'server=~"$server|"';
  return `${name}${selector([whose, where])}`;
}

/**
 * @param {string} metric counter or native histogram, as `ofRun` takes it
 * @param {string} memory longest silence within a series
 * @param {string} [where]
 * @param {string} [window]
 * @returns {string} what was added within the window, by series
 */
function increase(metric, memory, where, window = '$__rate_interval') {
  const now = `last_over_time(${ofRun(metric, where)}[${window}])`;
  const before = `last_over_time(${ofRun(metric, where)}[${memory}] offset ${window})`;
  return `${now} - (${before} or 0 * ${now})`;
}

/**
 * @param {string} metric counter, as `ofRun` takes it
 * @param {string} [by]
 * @param {string} [where]
 * @returns {string} increase per second; nothing where nothing was counted
 */
export function perSecond(metric, by = '', where = '') {
  return `sum${grouping(by)}(${increase(metric, COUNTER_MEMORY, where)}) / ($__rate_interval_ms / 1000)`;
}

/**
 * Of what Prometheus scrapes, an exporter's counter for example. For what k6 pushes take `perSecond`.
 *
 * @param {string} series counter with its selector
 * @param {string} [by]
 * @returns {string} increase per second
 */
export function rate(series, by = '') {
  return `sum${grouping(by)}(rate(${series}[$__rate_interval]))`;
}

/**
 * @param {string} metric counter, as `ofRun` takes it
 * @param {string} [by]
 * @param {string} [where]
 * @returns {string} the total since the run began
 */
export function total(metric, by = '', where = '') {
  return `sum${grouping(by)}(last_over_time(${ofRun(metric, where)}[$__range]))`;
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
 * @param {string} [by]
 * @param {string} [where]
 * @returns {string} seconds, of what was measured within the rate interval
 */
export function percentile(quantile, metric, by = '', where = '') {
  return `histogram_quantile(${quantile}, sum${grouping(by)}(${increase(metric, HISTOGRAM_MEMORY, where)}))`;
}

/**
 * @param {number} quantile 0 to 1
 * @param {string} metric native histogram, as `ofRun` takes it
 * @param {string} [by]
 * @param {string} [where]
 * @returns {string} seconds, of everything that was measured since the run began
 */
export function percentileOfRun(quantile, metric, by = '', where = '') {
  return `histogram_quantile(${quantile}, ${total(metric, by, where)})`;
}

/**
 * For a heatmap: how many values per second fell into each bucket. Not their number: that would depend on how long a
 * time one column of the picture stands for.
 *
 * @param {string} metric native histogram, as `ofRun` takes it
 * @param {string} [where]
 * @returns {string} a native histogram
 */
export function distribution(metric, where = '') {
  return `sum(${increase(metric, HISTOGRAM_MEMORY, where)}) / ($__rate_interval_ms / 1000)`;
}

/**
 * @param {string} part counter, as `ofRun` takes it, that k6 may not export: it is zero then
 * @param {string} whole counter, as `ofRun` takes it
 * @param {string} [by]
 * @param {string} [where]
 * @returns {string} the share that one was of the other within the rate interval
 */
export function share(part, whole, by = '', where = '') {
  const of = perSecond(whole, by, where);
  return `${orZero(perSecond(part, by, where), of)} / (${of})`;
}

/**
 * For subqueries, whose steps are no panel's.
 *
 * @param {string} part counter, as `ofRun` takes it, that k6 may not export: it is zero then
 * @param {string} whole counter, as `ofRun` takes it
 * @param {string} where
 * @param {string} window
 * @returns {string} the share that one was of the other within the window
 */
export function shareWithin(part, whole, where, window) {
  const of = `sum(${increase(whole, COUNTER_MEMORY, where, window)})`;
  return `${orZero(`sum(${increase(part, COUNTER_MEMORY, where, window)})`, of)} / ${of}`;
}

/**
 * @param {string} part counter, as `ofRun` takes it, that k6 may not export: it is zero then
 * @param {string} whole counter, as `ofRun` takes it
 * @param {string} [by]
 * @param {string} [where]
 * @returns {string} the share that one was of the other since the run began
 */
export function shareOfRun(part, whole, by = '', where = '') {
  const of = total(whole, by, where);
  return `${orZero(total(part, by, where), of)} / ${of}`;
}

/**
 * What the running phases are judged by, for as long as they run.
 *
 * @param {string} name of the objective: p99, p95 ... or failure_share
 * @returns {string} seconds, or a share; nothing where the run has no such objective
 */
export function objective(name) {
  // Those of one operation or class say nothing of all together.
  const limits = saidByRun('mcp_objective', `objective="${name}", operation="", class=""`);
  const running = `last_over_time(${ofRun('mcp_requests_total')}[$__rate_interval])`;
  return `min(${limits} and on (phase) ${running})`;
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

/**
 * @param {string} metric counter, as `ofRun` takes it
 * @returns {string} by phase, when its first push was there, Unix time in milliseconds: up to an interval late, but also of
 *   a phase that was pushed only once, and ended
 */
export function phaseStarted(metric) {
  const pushed = `timestamp(last_over_time(${ofRun(metric)}[$__interval]))`;
  return `1000 * min by (phase) (min_over_time(${pushed}[$__range:$__interval]))`;
}

/**
 * What a run's end wrote into Prometheus: samples whose value is the time of the place that they speak of.
 *
 * @param {string} metric mcp_finding or mcp_verdict
 * @returns {string} Unix time in milliseconds. From the beginning of the time range on it looks forward: annotations are
 *   evaluated once a minute, and a run may be shorter.
 */
export function placed(metric) {
  return `1000 * max_over_time(${metric}{testid="$testid"}[$__range] offset -$__range)`;
}

/**
 * @param {string} metric native histogram, as `ofRun` takes it
 * @returns {string} seconds, the mean of what was measured within the rate interval
 */
export function mean(metric) {
  return `histogram_avg(sum(${increase(metric, HISTOGRAM_MEMORY)}))`;
}

/**
 * @param {Record<string, string>} expressions of one series each, by name
 * @param {string} label
 * @returns {string} all of them in one answer, named by the label
 */
export function named(expressions, label) {
  return Object.entries(expressions)
    .map(([name, expression]) => `label_replace(max(${expression}), "${label}", "${name}", "", "")`)
    .join(' or ');
}

/**
 * The highest of a signal in the time range, not of a moment but of three samples: one at its limit is no limit reached. As
 * long as the rules look back for their rates.
 *
 * @param {string} series
 * @returns {string}
 */
export function highest(series) {
  return `max_over_time(avg_over_time(${series}[6s])[$__range:$__interval])`;
}

/** What a run's start is read from. With several k6 runs in one test it is the first. */
const STARTED = 'mcp_started_seconds';

/**
 * @returns {string} a series for each other run, in the order in which one is likely to be wanted: those of the same
 *   test, then the rest, the newest first
 */
export function otherRuns() {
  const others = `max by (testid, test) (last_over_time(k6_${STARTED}{testid!="$testid"}[${RUN_MEMORY}]))`;
  return `sort_desc((${others} and on (test) ${saidByRun(STARTED)}) or ${others} - 1e9)`;
}

/** @returns {string} the seconds by which the run began after the base, 0 where there is none */
export function startedAfterBase() {
  const start = `min(min_over_time(${ofRun(STARTED)}[${RUN_MEMORY}]))`;
  return `round(${start} - ${toBase(start)}) or vector(0)`;
}

/** @param {string} expression of the run */
const toBase = (expression) => expression.replaceAll('testid="$testid"', 'testid="$base"');

/**
 * @param {string} expression of the run
 * @returns {string} the same of the run that it is compared with, moved by `$shift` seconds, so that both begin at once
 */
export function ofBase(expression) {
  // One evaluation in each second: only so an offset applies to a whole expression.
  return `last_over_time((${toBase(expression)})[1s:1s] offset \${shift}s)`;
}
