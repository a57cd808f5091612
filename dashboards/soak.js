/** A soak: whether the server of the last hour is still the one of the first. */
import { dashboard, queryVariable } from './dashboard.js';
import {
  barGauge,
  NO_RUN,
  offeredAndAchieved,
  percentiles,
  ratio,
  row,
  signal,
  stat,
  table,
  timeSeries,
} from './panels.js';
import {
  failedByPhase,
  inOrder,
  percentileByPhase,
  phaseEnd,
  phaseSeconds,
  phaseStart,
  requestsByPhase,
  runStart,
  startedMs,
} from './phase-queries.js';
import {
  DURATION,
  FAILURES,
  ofRun,
  ofServer,
  orZero,
  percentileOfRun,
  REQUESTS,
  shareOfRun,
  total,
} from './queries.js';
import { NEUTRAL, steps } from './signal-catalogue.js';

const FAILURE_STEPS = steps(0.0001, 0.0005);
/** The objectives of scenarios/soak.js, as colours. */
const SLOWER_STEPS = steps(1.15, 1.3);
const THROUGHPUT_STEPS = [
  { color: 'red', value: null },
  { color: 'orange', value: 0.955 },
  { color: 'green', value: 0.98 },
];

const HOUR_S = 3600;
/** What a line through less of a run says is chance: a garbage collector's saw-tooth, caches that fill. */
const LEAST_FIT_S = 600;
/** Below this a span is not much more than the steps of its queries. */
const LEAST_SPAN_S = 60;

const NO_FIT = 'Needs 10 min of a run';
const NO_SPAN = 'Needs windows of a minute or longer';

const FIRST = 'phase="$first"';
/** Unix times, numbers: of the first measured request, and of the newest. In a subquery time() is that of its step. */
const start = () => `(${runStart()} + scalar(${phaseStart(FIRST)}))`;
const end = () =>
  `scalar(clamp_max(last_over_time(vector(time())[2s:1s] @ end()), ${runStart()} + scalar(max(${phaseEnd()}))))`;
/** How long the first and the last span are, seconds, a number. */
const span = () => `scalar(clamp_max(${phaseEnd(FIRST)} - ${phaseStart(FIRST)}, ${HOUR_S}))`;

/** @param {string} vector @param {string} number @returns {string} those of its moments that are not before */
const since = (vector, number) => `${vector} and on () vector(time()) >= ${number}`;
/** @param {string} vector @param {string} number @returns {string} those that are not after */
const until = (vector, number) => `${vector} and on () vector(time()) <= ${number}`;
/** @param {string} vector @returns {string} for a function over time */
const inRange = (vector) => `(${vector})[$__range:$__interval]`;

/**
 * @param {string} series that are added up
 * @returns {string} how fast they grow, per hour: the slope of the straight line that fits best; nothing for a short run
 */
const slope = (series) =>
  `${HOUR_S} * deriv(${inRange(until(since(`sum(${series})`, start()), end()))}) ` +
  `and on () vector(${end()} - ${start()}) >= ${LEAST_FIT_S}`;

/** Requests per second of each phase so far. */
const throughput = () => `${requestsByPhase()} / ${phaseSeconds()}`;
/** @param {string} byPhase @param {string} first a number @returns {string} */
const timesFirst = (byPhase, first) => `${byPhase} / ${first}`;
const p99TimesFirst = () =>
  timesFirst(percentileByPhase(0.99), `scalar(${percentileOfRun(0.99, DURATION, '', FIRST)})`);
const throughputTimesFirst = () =>
  timesFirst(throughput(), `scalar(${total(REQUESTS, 'phase', FIRST)} / ${phaseSeconds()})`);

/** The phases that have ended, and the last of them. */
const whole = () =>
  `(${phaseStart()} and on (phase) (${phaseEnd()} <= time() - ${runStart()}) and on (phase) ${requestsByPhase()})`;
/** @param {string} byPhase @returns {string} */
const ofLast = (byPhase) => `max(${byPhase} and on (phase) topk(1, ${whole()}))`;

/**
 * @param {string} metric as `ofRun` takes it
 * @returns {{first: string, last: string}} what was added in the first span and in the last, all series together
 */
function added(metric) {
  // A counter's last value of the span: of series that begin with the run.
  const first = `sum(last_over_time(${inRange(until(ofRun(metric, FIRST), `${start()} + ${span()}`))}))`;
  const before = `last_over_time(${inRange(until(ofRun(metric), `${end()} - ${span()}`))})`;
  return { first, last: `(sum(last_over_time(${ofRun(metric)}[$__range])) - sum(${before}))` };
}

/** How long the two spans really are: they end at a step of their queries. */
const covered = {
  first: `(max_over_time(${inRange(until('vector(time())', `${start()} + ${span()}`))}) - ${start()})`,
  last: `(${end()} - max_over_time(${inRange(until('vector(time())', `${end()} - ${span()}`))}))`,
};

/** @param {string} series @returns {{first: string, last: string}} its mean in the two spans */
const mean = (series) => ({
  first: `avg_over_time(${inRange(until(since(`sum(${series})`, start()), `${start()} + ${span()}`))})`,
  last: `avg_over_time(${inRange(until(since(`sum(${series})`, `${end()} - ${span()}`), end()))})`,
});

/**
 * @param {{first: string, last: string}} exprs
 * @returns {string} both, told apart by the label span
 */
function spans({ first, last }) {
  const labelled = [
    ['first', first],
    ['last', last],
  ].map(([name, expr]) => `label_replace(${expr}, "span", "${name}", "", "")`);
  return `(${labelled.join(' or ')}) and on () vector(${span()}) >= ${LEAST_SPAN_S}`;
}

/** @param {number} quantile */
function percentileOfSpans(quantile) {
  const { first, last } = added(DURATION);
  return spans({
    first: `histogram_quantile(${quantile}, ${first})`,
    last: `histogram_quantile(${quantile}, ${last})`,
  });
}

function failedOfSpans() {
  const [failed, all] = [added(FAILURES), added(REQUESTS)];
  return spans({
    first: `${orZero(failed.first, all.first)} / ${all.first}`,
    last: `${orZero(failed.last, all.last)} / ${all.last}`,
  });
}

function throughputOfSpans() {
  const { first, last } = added(REQUESTS);
  return spans({ first: `${first} / ${covered.first}`, last: `${last} / ${covered.last}` });
}

const connections = ofServer('detail:pool:count', 'state=~"used|idle"');

const wide = { width: 12, height: 9 };
const bars = { width: 12, height: 11 };
const quarter = { width: 6, height: 4 };

export function soak() {
  return dashboard({
    uid: 'mcp-soak',
    title: 'Soak',
    folder: 'runs',
    description:
      'A long run in windows: does the server wear out? Each window against the first, slopes, and what grows.',
    // A day of a run is too much to be read anew every few seconds.
    time: { from: 'now-24h', to: 'now' },
    refresh: '1m',
    variables: [
      queryVariable({
        name: 'first',
        label: 'Compared with',
        description: 'The window that all others are compared with: the first measured one',
        query: `sort(${phaseStart()} and on (phase) ${requestsByPhase()})`,
        regex: '/phase="([^"]+)"/',
      }),
    ],
    panels: [
      stat({
        id: 1,
        title: 'Whole windows',
        description:
          'Windows that have ended. The one that still runs is in the tables below, but has less to say.',
        unit: 'short',
        width: 4,
        height: 4,
        noValue: NO_RUN,
        decimals: 0,
        expr: `count(${whole()})`,
        steps: NEUTRAL,
      }),
      stat({
        id: 2,
        title: 'Last p99, times the first',
        description:
          'p99 of the last whole window as a multiple of that of the first. 1 is a server that does not wear out; red from 1.3, the ' +
          "soak's objective.",
        unit: 'short',
        width: 5,
        height: 4,
        noValue: 'No window has ended',
        decimals: 2,
        expr: ofLast(p99TimesFirst()),
        steps: SLOWER_STEPS,
      }),
      stat({
        id: 3,
        title: 'Rate, times the first',
        description:
          "Requests per second of the last whole window as a multiple of those of the first. Red below 0.955, the soak's objective.",
        unit: 'short',
        width: 5,
        height: 4,
        noValue: 'No window has ended',
        decimals: 3,
        expr: ofLast(throughputTimesFirst()),
        steps: THROUGHPUT_STEPS,
      }),
      stat({
        id: 4,
        title: 'Failed',
        description:
          'Failed requests of all requests since the run began. Red from 0.05%, the objective of the soak.',
        unit: 'percentunit',
        width: 5,
        height: 4,
        noValue: NO_RUN,
        expr: shareOfRun(FAILURES, REQUESTS),
        steps: FAILURE_STEPS,
      }),
      stat({
        id: 5,
        title: 'Running for',
        description: 'How long the measured part of the run has taken so far, or took.',
        unit: 's',
        width: 5,
        height: 4,
        noValue: NO_RUN,
        decimals: 0,
        expr: `vector(${end()} - ${start()})`,
        steps: NEUTRAL,
      }),

      row({ id: 10, title: 'Window by window' }),
      table({
        id: 11,
        title: 'Windows',
        description:
          'Each window, all of its requests together, and p99 and throughput as multiples of those of the window chosen above. ' +
          'Read downwards: nothing should drift. One slow window is an event; each slower than the one before is wear.',
        width: 24,
        height: 12,
        noValue: NO_RUN,
        label: 'phase',
        heading: 'Window',
        sortBy: 'Started',
        columns: [
          { name: 'Started', unit: 'time:HH:mm:ss', expr: startedMs() },
          { name: 'Requests', unit: 'short', expr: requestsByPhase() },
          { name: 'Throughput', unit: 'reqps', expr: throughput() },
          { name: 'Throughput, times', unit: 'short', expr: throughputTimesFirst(), steps: THROUGHPUT_STEPS },
          { name: 'p50', unit: 's', expr: percentileByPhase(0.5) },
          { name: 'p99', unit: 's', expr: percentileByPhase(0.99) },
          { name: 'p99, times', unit: 'short', expr: p99TimesFirst(), steps: SLOWER_STEPS },
          { name: 'Failed', unit: 'percentunit', expr: failedByPhase(), steps: FAILURE_STEPS },
        ],
      }),
      barGauge({
        ...bars,
        id: 12,
        title: 'p99, times that of the first',
        description: 'In the order of the windows. Orange from 1.15, red from 1.3.',
        unit: 'short',
        noValue: NO_RUN,
        expr: inOrder(p99TimesFirst()),
        legend: '{{phase}}',
        steps: SLOWER_STEPS,
      }),
      barGauge({
        ...bars,
        id: 13,
        title: 'Throughput, times that of the first',
        description:
          'In the order of the windows; of the one that runs, so far. Red below 0.955: the server, or the generator, no longer keeps up.',
        unit: 'short',
        noValue: NO_RUN,
        expr: inOrder(throughputTimesFirst()),
        legend: '{{phase}}',
        steps: THROUGHPUT_STEPS,
      }),

      row({ id: 20, title: 'Slopes' }),
      stat({
        ...quarter,
        id: 21,
        title: 'Memory, MB per hour',
        description:
          'The slope of the straight line that fits the memory of the server best, from the first measured request on (least ' +
          'squares). A line is only right for what grows steadily: look at the graph, too. Red from 10 MB per hour. No figure for a ' +
          'run of less than 10 minutes: it would be that of caches that fill and of a garbage collector.',
        unit: 'short',
        noValue: NO_FIT,
        decimals: 1,
        expr: `1e-6 * ${slope(ofServer('signal:memory:bytes'))}`,
        steps: steps(5, 10),
      }),
      stat({
        ...quarter,
        id: 22,
        title: 'Connections per hour',
        description:
          'The same of the open connections of the database pool, used and idle. A pool grows to its size and stays there; a slope ' +
          'that stays is of connections that nobody gives back.',
        unit: 'short',
        noValue: NO_FIT,
        decimals: 2,
        expr: slope(connections),
        steps: NEUTRAL,
      }),
      stat({
        ...quarter,
        id: 23,
        title: 'Sessions per hour',
        description:
          'The same of open sessions. They should be as many as there are users; a slope is of sessions that never end.',
        unit: 'short',
        noValue: NO_FIT,
        decimals: 2,
        expr: slope(ofServer('signal:sessions:count')),
        steps: NEUTRAL,
      }),
      stat({
        ...quarter,
        id: 24,
        title: 'Event-loop lag, ms per hour',
        description:
          'The same of the lag of the event loop: each request leaves the thread more to do than the one before.',
        unit: 'short',
        noValue: NO_FIT,
        decimals: 2,
        expr: `1e3 * ${slope(ofServer('signal:eventloop_lag:seconds'))}`,
        steps: NEUTRAL,
      }),

      row({ id: 30, title: 'First hour against the last' }),
      table({
        id: 31,
        title: 'First and last',
        description:
          'The first measured hour, and the hour before the end or before now. Where windows are shorter than an hour, the length of ' +
          'a window instead. Signals are means. The spans end at the steps of the queries, so throughput is within a few percent for ' +
          'short ones; of windows of less than a minute there is nothing here, they are in the table above.',
        width: 24,
        height: 4,
        noValue: NO_SPAN,
        label: 'span',
        heading: 'Span',
        sortBy: 'Span',
        columns: [
          { name: 'Length', unit: 's', expr: spans(covered) },
          { name: 'Throughput', unit: 'reqps', expr: throughputOfSpans() },
          { name: 'Failed', unit: 'percentunit', expr: failedOfSpans(), steps: FAILURE_STEPS },
          { name: 'p50', unit: 's', expr: percentileOfSpans(0.5) },
          { name: 'p99', unit: 's', expr: percentileOfSpans(0.99) },
          { name: 'Memory', unit: 'bytes', expr: spans(mean(ofServer('signal:memory:bytes'))) },
          { name: 'Connections', unit: 'short', expr: spans(mean(connections)) },
          { name: 'Sessions', unit: 'short', expr: spans(mean(ofServer('signal:sessions:count'))) },
          { name: 'Event loop', unit: 's', expr: spans(mean(ofServer('signal:eventloop_lag:seconds'))) },
          { name: 'GC', unit: 'percentunit', expr: spans(mean(ofServer('signal:gc:ratio'))) },
        ],
      }),

      row({ id: 40, title: 'Over time: clients' }),
      percentiles({
        ...wide,
        id: 41,
        title: 'Latency',
        description:
          'From sending a request to its last byte, of answered requests. Over a day a point is of some minutes, so a short stall ' +
          'shows in p99 alone: zoom in to see it.',
        metric: DURATION,
        quantiles: [0.5, 0.99],
        objective: true,
      }),
      offeredAndAchieved({
        id: 42,
        description:
          'What the running window asks for, what k6 completed of it, and what it had to drop. Dropped iterations mean that all users ' +
          'were waiting.',
      }),
      ratio({
        ...wide,
        id: 43,
        title: 'Failed over time',
        description:
          'Failed requests of all. Failures that come at even intervals are something periodic: a renewal, a backup, a limit.',
        part: FAILURES,
        whole: REQUESTS,
        steps: FAILURE_STEPS,
      }),
      signal({ ...wide, id: 44, signal: 'cpu:ratio' }),

      row({ id: 50, title: 'Over time: what wears out' }),
      signal({ ...wide, id: 51, signal: 'memory:bytes' }),
      timeSeries({
        ...wide,
        id: 52,
        title: 'Connections',
        description:
          'Connections of the database pool by state, and all connections of the database, of the most that it allows (right). The pool ' +
          'should stay within its size, and nothing should wait.',
        unit: 'short',
        noValue: 'Nothing exports connections',
        lines: [
          { expr: `sum by (state) (${ofServer('detail:pool:count')})`, legend: '{{state}}' },
          {
            expr: ofServer('signal:db_connections:ratio'),
            legend: 'of the database',
            color: 'text',
            style: 'dashed',
            axis: 'right',
            unit: 'percentunit',
          },
        ],
      }),
      signal({ ...wide, id: 53, signal: 'sessions:count' }),
      signal({ ...wide, id: 54, signal: 'gc:ratio' }),
      signal({ ...wide, id: 55, signal: 'eventloop_lag:seconds' }),
      signal({ ...wide, id: 56, signal: 'cache_hit:ratio' }),
    ],
  });
}
