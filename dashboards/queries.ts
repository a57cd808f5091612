/**
 * PromQL for the panels. Each function returns an expression as text.
 *
 * k6 pushes a series only when it changed, and its first push already holds a count, which `rate()` never sees. An increase is
 * therefore the difference of two last values, and a new series counts from zero: no k6 counter resets. What is scraped does reset,
 * and is read with `rate`.
 *
 * `metric` is k6's own name, such as `mcp_requests_total`; `where` matchers, such as `phase="spike"`; `by` labels to keep.
 */

/** Latency of calls; its label `outcome` says how they ended. */
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

/** How long a counter may stay silent and still be continued. A sample of a histogram is a hundred times as large. */
const COUNTER_MEMORY = '1d';
const HISTOGRAM_MEMORY = '1h';
/** What set-up says once holds for the whole run. */
const RUN_MEMORY = '30d';

const selector = (...matchers: string[]) => {
  const given = matchers.filter((matcher) => matcher !== '');
  return given.length > 0 ? `{${given.join(', ')}}` : '';
};
const grouping = (by: string) => (by ? ` by (${by})` : '');

/** The selected run's series of a metric of k6's. */
export const ofRun = (metric: string, where = '') => `k6_${metric}${selector('testid="$testid"', where)}`;

/** A series that the run's set-up wrote once. */
export const saidByRun = (metric: string, where = '') =>
  `last_over_time(${ofRun(metric, where)}[${RUN_MEMORY}] @ end())`;

/** A signal of the run's server, its machine and its stack, such as `signal:cpu:ratio`; of a generator, its run's. */
export function ofServer(name: string, where = ''): string {
  const whose = name.startsWith('signal:generator_') ? 'testid="$testid"' : 'server=~"$server|"';
  return `${name}${selector(whose, where)}`;
}

function increase(metric: string, memory: string, where: string): string {
  const now = `last_over_time(${ofRun(metric, where)}[$__rate_interval])`;
  const before = `last_over_time(${ofRun(metric, where)}[${memory}] offset $__rate_interval)`;
  return `${now} - (${before} or 0 * ${now})`;
}

/** Increase per second of a k6 counter; no series where nothing was counted. */
export const perSecond = (metric: string, by = '', where = '') =>
  `sum${grouping(by)}(${increase(metric, COUNTER_MEMORY, where)}) / ($__rate_interval_ms / 1000)`;

/** Answers per second without a failure. */
export const goodput = () => `${perSecond(REQUESTS)} - ${orZero(perSecond(FAILURES), perSecond(REQUESTS))}`;

/** Increase per second of a counter that Prometheus scrapes. */
export const rate = (series: string, by = '') => `sum${grouping(by)}(rate(${series}[$__rate_interval]))`;

/** Of a counter or histogram of k6's, the total since the run began. */
export const total = (metric: string, by = '', where = '') =>
  `sum${grouping(by)}(last_over_time(${ofRun(metric, where)}[$__range]))`;

/** Zero where k6 exports no such counter, as long as `present` has data. */
export const orZero = (expression: string, present: string) => `(${expression} or 0 * ${present})`;

/**
 * Native histograms: `exact` counts every push. Prometheus 2.42 can't evaluate it, because it neither subtracts histograms nor reads them
 * with `last_over_time`. It finds no histogram there and takes the rate, which misses the first push of a series.
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

/** Seconds, of what was measured within the rate interval. */
export const percentile = (quantile: number, metric: string, by = '', where = '') =>
  percentileIn('$__rate_interval', quantile, metric, by, where);

/** Seconds, of everything since the run began. */
export const percentileOfRun = (quantile: number, metric: string, by = '', where = '') =>
  `(${percentileIn('$__range', quantile, metric, by, where)})`;

const meanOf = (histogram: string) => `histogram_sum(${histogram}) / histogram_count(${histogram})`;

/** Seconds, the mean of what was measured within the rate interval. */
export function mean(metric: string): string {
  const { exact, orRate } = ofHistogram('$__rate_interval', metric, '', '');
  return `${meanOf(exact)} or ${meanOf(orRate)}`;
}

/** Seconds added up within the rate interval, per second. */
function sumPerSecond(metric: string, where: string): string {
  const { exact, orRate } = ofHistogram('$__rate_interval', metric, '', where);
  return `(histogram_sum(${exact}) / ($__rate_interval_ms / 1000) or histogram_sum(${orRate}))`;
}

/** Requests of sessions are in no latency: they would make the share too high. */
const OF_CALLS = 'class!="protocol"';

/** Share of the latency of all calls that they spent on getting a connection. */
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

/** Limits of a whole phase. Objectives of one operation or class say nothing of all requests. */
const objectives = (name: string) =>
  saidByRun('mcp_objective', `objective="${name}", operation="", class=""`);

/** The limit of the running phase: `p99` in seconds, `failure_share` as a ratio. */
export const objective = (name: string) =>
  `min(${objectives(name)} and on (phase) last_over_time(${ofRun(REQUESTS)}[$__rate_interval]))`;

/** Target rate of the running phase, averaged like `perSecond`; no series in a phase with a fixed number of VUs. */
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

/** What the judge wrote at the run's end (`mcp_finding`, `mcp_verdict`): the value is the Unix time in milliseconds of its place. */
export const placed = (metric: string) =>
  `1000 * max_over_time(${metric}{testid="$testid"}[$__range] offset -$__range)`;

/** The same by labels, evaluated at the end of the time range. */
export const written = (metric: string, by: string) =>
  `1000 * max by (${by}) (last_over_time(${metric}{testid="$testid"}[$__range]))`;

/** The highest six-second mean in the time range: a single sample at the limit is no saturation. */
export const highest = (series: string) =>
  `max_over_time(avg_over_time(${series}[6s])[$__range:$__interval])`;

/** Other runs, those of the same test first, the newest first. */
export function otherRuns(): string {
  const others = `max by (testid, test) (last_over_time(k6_${STARTED}{testid!="$testid"}[${RUN_MEMORY}]))`;
  return `sort_desc((${others} and on (test) ${saidByRun(STARTED)}) or ${others} - 1e9)`;
}

/** Of each resource its highest utilization, labelled with its name. */
export const peaksOf = (resources: readonly { name: string; series: string }[]) =>
  resources
    .map(({ name, series }) => `label_replace(max(${highest(series)}), "resource", "${name}", "", "")`)
    .join(' or ');

const toBase = (expression: string) => expression.replaceAll('testid="$testid"', 'testid="$base"');

/** Seconds by which the run began after the base; 1 if there is no base. Prometheus before 3.0 refuses an offset of 0 s. */
export function startedAfterBase(): string {
  const start = `min(min_over_time(${ofRun(STARTED)}[${RUN_MEMORY}]))`;
  return `round(${start} - ${toBase(start)}) != 0 or vector(1)`;
}

/** A signal while the run goes on: it has samples before and after, too. */
export const duringRun = (name: string) =>
  `${ofServer(name)} and on () sum(last_over_time(${ofRun('vus')}[$__rate_interval]))`;

/** An expression of the base, moved by `$shift` seconds so that both runs begin at once. */
export const ofBase = (expression: string) =>
  // One evaluation in each second: only so an offset applies to a whole expression.
  `last_over_time((${toBase(expression)})[1s:1s] offset \${shift}s)`;

// --- by phase. k6 says in its set-up when each phase begins and ends.

const runStart = () => `scalar(max(${saidByRun(STARTED)}))`;
const phaseStart = () => `max by (phase) (${saidByRun('mcp_phase_start_seconds')})`;
const phaseEnd = () => `max by (phase) (${saidByRun('mcp_phase_end_seconds')})`;
/** How long each phase has run so far. */
const phaseSeconds = () => `(clamp_max(${phaseEnd()}, time() - ${runStart()}) - ${phaseStart()} > 0)`;

/** Measured phases, with their requests: all but the warm-up. */
export const requestsByPhase = () => total(REQUESTS, 'phase');
export const firstPhase = () => `sort(${phaseStart()} and on (phase) ${requestsByPhase()})`;
/** Unix time in milliseconds of the first push, up to an interval late. With several k6 runs in a test, each has a start of its own. */
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
/** p99 as a multiple of that of the first measured phase. */
export const p99VsBaseline = () =>
  `${percentileByPhase(0.99)} / scalar(${percentileOfRun(0.99, DURATION, '', 'phase="$baseline"')})`;

/** Iterations made, of those that were due. Dropped iterations carry the scenario, which is named like its phase. */
export function deliveredByPhase(): string {
  const made = `(${total(ITERATIONS, 'phase')} and on (phase) ${requestsByPhase()})`;
  const dropped = `label_replace(${total(DROPPED, 'scenario')}, "phase", "$1", "scenario", "(.*)")`;
  return `${made} / (${made} + ${orZero(`sum by (phase) (${dropped})`, made)})`;
}

/** Answers without a failure a second, in the phase with the highest load. */
export function goodputAtPeak(): string {
  const failed = orZero(total(FAILURES, 'phase'), requestsByPhase());
  const load = `(${targetByPhase()} or ${achievedByPhase()})`;
  return `max((${requestsByPhase()} - ${failed}) / on (phase) ${phaseSeconds()} and on (phase) topk(1, ${load}))`;
}

/** Seconds from an overload's end until all was normal again, as the judge wrote it; no series if it was not. */
export const recoverySeconds = () => `max(last_over_time(mcp_recovery_seconds{testid="$testid"}[$__range]))`;

/** The worst judged phase; of a run without objectives, of all that were measured. */
export const worstJudged = (byPhase: string) =>
  `max(${byPhase} and on (phase) ${saidByRun('mcp_objective')}) or max(${byPhase})`;

/** Bars are drawn in the order of the answer, which is that of the left side: the order in which the phases ran. */
export const inOrder = (byPhase: string) => `0 * sort(${startedByPhase()}) + on (phase) (${byPhase})`;
