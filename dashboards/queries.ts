/**
 * PromQL for the panels. Each function returns an expression as text.
 *
 * k6 pushes a series only when it changes. The first sample already contains a count, which `rate()` misses. An
 * increase is therefore the difference between two last values, and a new series starts from zero. k6's counters never
 * reset. Scraped counters do reset, so they use `rate`.
 *
 * `metric` is the name in k6, such as `mcp_requests_total`; `where` are matchers, such as `phase="spike"`; `by` are
 * labels to keep.
 */

/** Latency of calls, by their outcome in the label `outcome`. */
export const DURATION = 'mcp_request_duration_seconds';
const OPENING = ['blocked', 'connecting', 'tls'].map((part) => `mcp_request_${part}_seconds`);
export const CONNECTIONS = 'mcp_connections_total';
export const RECONNECTIONS = 'mcp_reconnections_total';
export const REQUESTS = 'mcp_requests_total';
export const FAILURES = 'mcp_failures_total';
export const ITERATIONS = 'iterations_total';
export const DROPPED = 'dropped_iterations_total';
export const ITEMS = 'mcp_items_total';
const STARTED = 'mcp_started_seconds';
const OFFERED = 'mcp_offered_rps';

/**
 * How long a counter may go without a sample. Histogram samples are a hundred times as large, so their lookback is
 * shorter.
 */
const COUNTER_MEMORY = '1d';
const HISTOGRAM_MEMORY = '1h';
/** Series written once during set-up are valid for the whole run. */
const RUN_MEMORY = '30d';

const selector = (...matchers: string[]) => {
  const given = matchers.filter((matcher) => matcher !== '');
  return given.length > 0 ? `{${given.join(', ')}}` : '';
};
const grouping = (by: string) => (by ? ` by (${by})` : '');

/** A k6 metric of the selected run. */
export const ofRun = (metric: string, where = '') => `k6_${metric}${selector('testid="$testid"', where)}`;

/** A series written once during the run's set-up. */
export const saidByRun = (metric: string, where = '') =>
  `last_over_time(${ofRun(metric, where)}[${RUN_MEMORY}] @ end())`;

/** A signal of the run's server, its machine and its stack, such as `signal:cpu:ratio`, or of the run's generator. */
export function ofServer(name: string, where = ''): string {
  const whose = name.startsWith('signal:generator_') ? 'testid="$testid"' : 'server=~"$server|"';
  return `${name}${selector(whose, where)}`;
}

function increase(metric: string, memory: string, where: string): string {
  const now = `last_over_time(${ofRun(metric, where)}[$__rate_interval])`;
  const before = `last_over_time(${ofRun(metric, where)}[${memory}] offset $__rate_interval)`;
  return `${now} - (${before} or 0 * ${now})`;
}

/** Increase per second of a k6 counter; no series if nothing was counted. */
export const perSecond = (metric: string, by = '', where = '') =>
  `sum${grouping(by)}(${increase(metric, COUNTER_MEMORY, where)}) / ($__rate_interval_ms / 1000)`;

/** Successful requests per second. */
export const goodput = () => `${perSecond(REQUESTS)} - ${orZero(perSecond(FAILURES), perSecond(REQUESTS))}`;

/** Increase per second of a scraped counter. */
export const rate = (series: string, by = '') => `sum${grouping(by)}(rate(${series}[$__rate_interval]))`;

/** Total of a k6 counter or histogram since the start of the run. */
export const total = (metric: string, by = '', where = '') =>
  `sum${grouping(by)}(last_over_time(${ofRun(metric, where)}[$__range]))`;

/** Zero if k6 exports no such counter, as long as `present` has data. */
export const orZero = (expression: string, present: string) => `(${expression} or 0 * ${present})`;

/**
 * Queries of native histograms. `exact` counts every push. Prometheus 2.42 can't evaluate it: it neither subtracts
 * histograms nor supports them in `last_over_time`. In that version, the rate is used instead, which misses the first
 * push of a series.
 */
function ofHistogram(range: string, metric: string, by: string, where: string) {
  const exact =
    range === '$__range'
      ? total(metric, by, where)
      : `sum${grouping(by)}(${increase(metric, HISTOGRAM_MEMORY, where)})`;
  return { exact, orRate: `sum${grouping(by)}(rate(${ofRun(metric, where)}[${range}]))` };
}

function percentileIn(range: string, quantile: number, metric: string, by: string, where: string): string {
  const { exact, orRate } = ofHistogram(range, metric, by, where);
  return `histogram_quantile(${quantile}, ${exact}) or histogram_quantile(${quantile}, ${orRate})`;
}

/** Percentile of the values within the rate interval, in seconds. */
export const percentile = (quantile: number, metric: string, by = '', where = '') =>
  percentileIn('$__rate_interval', quantile, metric, by, where);

/** Percentile of the values since the start of the run, in seconds. */
export const percentileOfRun = (quantile: number, metric: string, by = '', where = '') =>
  `(${percentileIn('$__range', quantile, metric, by, where)})`;

const meanOf = (histogram: string) => `histogram_sum(${histogram}) / histogram_count(${histogram})`;

/** Mean of the values within the rate interval, in seconds. */
export function mean(metric: string): string {
  const { exact, orRate } = ofHistogram('$__rate_interval', metric, '', '');
  return `${meanOf(exact)} or ${meanOf(orRate)}`;
}

/** Increase per second of the histogram's sum, within the rate interval. */
function sumPerSecond(metric: string, where: string): string {
  const { exact, orRate } = ofHistogram('$__rate_interval', metric, '', where);
  return `(histogram_sum(${exact}) / ($__rate_interval_ms / 1000) or histogram_sum(${orRate}))`;
}

/** Excludes protocol requests: the latency metric does not contain them, so they would inflate the share. */
const OF_CALLS = 'class!="protocol"';

/** Share of the total latency of calls that is spent on connection setup. */
export function shareOfConnecting(): string {
  const latency = sumPerSecond(DURATION, OF_CALLS);
  const parts = OPENING.map((metric) => orZero(sumPerSecond(metric, OF_CALLS), latency));
  return `(${parts.join(' + ')}) / ${latency}`;
}

/** Values per second in each bucket, for a heatmap. */
export function distribution(metric: string, where = ''): string {
  const { exact, orRate } = ofHistogram('$__rate_interval', metric, '', where);
  return `(${exact} and histogram_count(${exact})) / ($__rate_interval_ms / 1000) or ${orRate}`;
}

/** Ratio of two k6 counters within the rate interval. */
export function share(part: string, whole: string, by = '', where = ''): string {
  const of = perSecond(whole, by, where);
  return `${orZero(perSecond(part, by, where), of)} / (${of})`;
}

/** Ratio of two k6 counters since the run began. */
export function shareOfRun(part: string, whole: string, by = '', where = ''): string {
  const of = total(whole, by, where);
  return `${orZero(total(part, by, where), of)} / ${of}`;
}

/** Limits that apply to a whole phase. Objectives of a single operation or class are excluded. */
const objectives = (name: string) =>
  saidByRun('mcp_objective', `objective="${name}", operation="", class=""`);

/** The limit in the current phase: `p99` in seconds, `failure_rate` as a ratio. */
export const objective = (name: string) =>
  `min(${objectives(name)} and on (phase) last_over_time(${ofRun(REQUESTS)}[$__rate_interval]))`;

/** Target rate of the current phase, averaged like `perSecond`; no series in a phase with a fixed number of VUs. */
export function targetRate(): string {
  const gauge = `${ofRun(OFFERED)}[$__rate_interval]`;
  return `sum(sum_over_time(${gauge})) / sum(count_over_time(${gauge}))`;
}

/** Unix time in milliseconds at which the first push of each phase arrived. */
export function phaseStarts(): string {
  const first = `min by (phase) (min_over_time(timestamp(${ofRun(ITERATIONS)})[$__rate_interval:1s]))`;
  const known = `count by (phase) (last_over_time(${ofRun(ITERATIONS)}[${COUNTER_MEMORY}] offset $__rate_interval))`;
  return `1000 * (${first} unless ${known})`;
}

/**
 * Samples written by the judge at the end of the run (`mcp_finding`, `mcp_verdict`). The value is the time of the
 * annotation, Unix time in milliseconds.
 */
export const placed = (metric: string) =>
  `1000 * max_over_time(${metric}{testid="$testid"}[$__range] offset -$__range)`;

/** The samples of the judge by labels, evaluated at the end of the time range. */
export const written = (metric: string, by: string) =>
  `1000 * max by (${by}) (last_over_time(${metric}{testid="$testid"}[$__range]))`;

/** Maximum of the six-second means in the time range: a single sample at the limit does not count as saturation. */
export const highest = (series: string) =>
  `max_over_time(avg_over_time(${series}[6s])[$__range:$__interval])`;

/** All other runs: those of the same test first, each group from newest to oldest. */
export function otherRuns(): string {
  const others = `max by (testid, test) (last_over_time(k6_${STARTED}{testid!="$testid"}[${RUN_MEMORY}]))`;
  return `sort_desc((${others} and on (test) ${saidByRun(STARTED)}) or ${others} - 1e9)`;
}

/** Maximum utilization of each resource, labelled with its name. */
export const peaksOf = (resources: readonly { name: string; series: string }[]) =>
  resources
    .map(({ name, series }) => `label_replace(max(${highest(series)}), "resource", "${name}", "", "")`)
    .join(' or ');

const toBase = (expression: string) => expression.replaceAll('testid="$testid"', 'testid="$base"');

/**
 * Seconds between the start of the base and the start of the run; 1 if there is no base. Prometheus before 3.0 rejects
 * an offset of 0 s.
 */
export function startedAfterBase(): string {
  const start = `min(min_over_time(${ofRun(STARTED)}[${RUN_MEMORY}]))`;
  return `round(${start} - ${toBase(start)}) != 0 or vector(1)`;
}

/** A signal restricted to the duration of the run, because it also has samples before and after the run. */
export const duringRun = (name: string) =>
  `${ofServer(name)} and on () sum(last_over_time(${ofRun('vus')}[$__rate_interval]))`;

/** An expression of the base, shifted by `$shift` seconds so that both runs start at the same time. */
export const ofBase = (expression: string) =>
  // Evaluated in each second: an offset applies to a whole expression only in a subquery.
  `last_over_time((${toBase(expression)})[1s:1s] offset \${shift}s)`;

// --- by phase. During set-up, k6 writes when each phase starts and ends.

const runStart = () => `scalar(max(${saidByRun(STARTED)}))`;
const phaseStart = () => `max by (phase) (${saidByRun('mcp_phase_start_seconds')})`;
const phaseEnd = () => `max by (phase) (${saidByRun('mcp_phase_end_seconds')})`;
/** Elapsed duration of each phase, in seconds. */
const phaseSeconds = () => `(clamp_max(${phaseEnd()}, time() - ${runStart()}) - ${phaseStart()} > 0)`;

/** Requests of the measured phases, that is, all except the warm-up. */
export const requestsByPhase = () => total(REQUESTS, 'phase');
export const firstPhase = () => `sort(${phaseStart()} and on (phase) ${requestsByPhase()})`;
/**
 * Unix time in milliseconds of the first push, up to a push interval late. Each k6 run of a test has its own start.
 */
export function startedByPhase(): string {
  const pushed = `timestamp(last_over_time(${ofRun(REQUESTS)}[$__interval]))`;
  return `1000 * min by (phase) (min_over_time(${pushed}[$__range:$__interval]))`;
}
export const targetByPhase = () =>
  `max by (phase) (last_over_time(${ofRun(OFFERED, 'phase!="warm-up"')}[$__range]))`;
export const achievedByPhase = () =>
  `${total(ITERATIONS, 'phase')} / ${phaseSeconds()} and on (phase) ${requestsByPhase()}`;
export const percentileByPhase = (quantile: number) => percentileOfRun(quantile, DURATION, 'phase');
export const failedByPhase = () => shareOfRun(FAILURES, REQUESTS, 'phase');
export const itemsPerSecondByPhase = () => `${total(ITEMS, 'phase')} / ${phaseSeconds()}`;
/** p99 as a multiple of the p99 of the first measured phase. */
export const p99VsBaseline = () =>
  `${percentileByPhase(0.99)} / scalar(${percentileOfRun(0.99, DURATION, '', 'phase="$baseline"')})`;

/**
 * Completed iterations as a share of planned iterations. Dropped iterations are labelled with the scenario, which has
 * the name of its phase.
 */
export function deliveredByPhase(): string {
  const made = `(${total(ITERATIONS, 'phase')} and on (phase) ${requestsByPhase()})`;
  const dropped = `label_replace(${total(DROPPED, 'scenario')}, "phase", "$1", "scenario", "(.*)")`;
  return `${made} / (${made} + ${orZero(`sum by (phase) (${dropped})`, made)})`;
}

/** Successful requests per second in the phase with the highest load. */
export function goodputAtPeak(): string {
  const failed = orZero(total(FAILURES, 'phase'), requestsByPhase());
  const load = `(${targetByPhase()} or ${achievedByPhase()})`;
  return `max((${requestsByPhase()} - ${failed}) / on (phase) ${phaseSeconds()} and on (phase) topk(1, ${load}))`;
}

/**
 * Seconds from the end of the overload until all metrics were normal again, as written by the judge; no series without
 * a recovery.
 */
export const recoverySeconds = () => `max(last_over_time(mcp_recovery_seconds{testid="$testid"}[$__range]))`;

/** The worst judged phase; without objectives, the worst measured phase. */
export const worstJudged = (byPhase: string) =>
  `max(${byPhase} and on (phase) ${saidByRun('mcp_objective')}) or max(${byPhase})`;

/** Grafana draws bars in the order of the result, which is the order of the left operand: the order of the phases. */
export const inOrder = (byPhase: string) => `0 * sort(${startedByPhase()}) + on (phase) (${byPhase})`;
