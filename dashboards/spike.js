/** A spike: its phases side by side, when everything was normal again, and what gave way meanwhile. */
import { FAILURE_MARGIN, HISTOGRAM_ERROR, P99_FACTOR } from '../analysis/band.js';
import { dashboard, queryVariable } from './dashboard.js';
import {
  barGauge,
  NO_RUN,
  offeredAndAchieved,
  rates,
  row,
  signal,
  stat,
  table,
  timeSeries,
} from './panels.js';
import {
  achievedByPhase,
  deliveredByPhase,
  failedByPhase,
  inOrder,
  percentileByPhase,
  phaseEnd,
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
  percentile,
  percentileOfRun,
  perSecond,
  REQUESTS,
  saidByRun,
  share,
  shareOfRun,
  shareWithin,
} from './queries.js';
import { FAILURE_STEPS, NEUTRAL } from './signal-catalogue.js';

const OFFERED = 'mcp_offered_rps';
const DELIVERED_STEPS = [
  { color: 'red', value: null },
  { color: 'orange', value: 0.95 },
  { color: 'green', value: 0.9999 },
];

/** As in analysis/recovery.js: the windows that are looked through, how often, and how long all has to stay in the band. */
const WINDOW_S = 6;
const WINDOW = `${WINDOW_S}s`;
const STEP_S = 2;
const STEP = `${STEP_S}s`;
const HOLD_S = 10;
/** How much less than the hold the ends of its windows are apart. */
const LAST_ENDS_S = HOLD_S - WINDOW_S;
/** A subquery leaves out its oldest moment, which belongs to what has to be in the band. */
const HELD = `${LAST_ENDS_S + STEP_S}s`;

const NOT_RECOVERED = 'Not so far';
const AFTER = 'phase!~"$baseline|$spike"';

/** @param {string} name @returns {string} the baseline's objective, with its labels */
const objectiveOfBaseline = (name) =>
  saidByRun('mcp_objective', `objective="${name}", phase="$baseline", operation="", class=""`);

/** @param {string} ofRange @returns {string} the same at every step of a query */
const once = (ofRange) => ofRange.replaceAll('[$__range]', '[$__range] @ end()');

/**
 * @param {string} name of the objective
 * @param {string} margin an expression: what is normal without one
 * @returns {string} the highest that is normal, a number
 */
const highestNormal = (name, margin) => `scalar(max(${objectiveOfBaseline(name)} or ${margin}))`;

const IN_BASELINE = 'phase="$baseline"';
const band = () =>
  highestNormal('p99', `${P99_FACTOR} * ${once(percentileOfRun(0.99, DURATION, '', IN_BASELINE))}`);
const failureLimit = () =>
  highestNormal(
    'failure_share',
    `${FAILURE_MARGIN} + ${once(shareOfRun(FAILURES, REQUESTS, '', IN_BASELINE))}`,
  );

/** Unix times, numbers. */
const spikeEnd = () => `(${runStart()} + scalar(${phaseEnd('phase="$spike"')}))`;
const runEnd = () => `(${runStart()} + scalar(max(${phaseEnd()})))`;

const p99After = () => `histogram_quantile(0.99, sum(rate(${ofRun(DURATION, AFTER)}[${WINDOW}])))`;

/**
 * @param {string} outside an expression that is 0 where everything is normal
 * @returns {string} seconds from the spike's end to the first moment with an answer from which it stays 0 for HOLD_S;
 *   nothing where there is none
 */
function recoverySeconds(outside) {
  const conditions = [
    `max_over_time((${outside})[${HELD}:${STEP}]) == 0`,
    `present_over_time(${p99After()}[${STEP}:${STEP}] offset ${LAST_ENDS_S}s)`,
    `vector(time() - ${HOLD_S}) >= ${spikeEnd()}`,
    `vector(time()) <= ${runEnd()}`,
    // Where nothing was answered before the spike, nothing is normal.
    `vector(${band()}) > 0`,
  ];
  const recovered = [`vector(time() - ${HOLD_S})`, ...conditions].join(' and on () ');
  return `min_over_time((${recovered})[$__range:${STEP}]) - ${spikeEnd()}`;
}

const allowed = () => `${band()} * ${HISTOGRAM_ERROR}`;
const slow = () => `${p99After()} > bool ${allowed()}`;
// Without a single answer there is no p99, but failures.
const slowOrFailing = () =>
  `${p99After()} > ${allowed()} or ${shareWithin(FAILURES, REQUESTS, AFTER, WINDOW)} > bool ${failureLimit()}`;

/** @param {string} number @returns {string} the same while the run goes on: a line that ends with it */
const whileRunning = (number) =>
  `vector(${number}) and on () sum(last_over_time(${ofRun(REQUESTS)}[$__rate_interval]))`;

/** @param {string} byPhase @param {string} phase @returns {string} without the label */
const of = (byPhase, phase) => `max(${byPhase} and on (phase) ${phaseStart(`phase="${phase}"`)})`;

const wide = { width: 12, height: 9 };
const third = { width: 8, height: 6 };
const half = { width: 12, height: 6 };

export function spike() {
  return dashboard({
    uid: 'mcp-spike',
    title: 'Spike and recovery',
    folder: 'runs',
    description:
      'A spike of load: what it did to clients, how long after it all was normal again, and what gave way.',
    variables: [
      queryVariable({
        name: 'baseline',
        label: 'Normal is',
        description: 'The phase that shows what is normal: the first measured one',
        query: `sort(${phaseStart()} and on (phase) ${requestsByPhase()})`,
        regex: '/phase="([^"]+)"/',
        hidden: true,
      }),
      queryVariable({
        name: 'spike',
        label: 'Spike',
        description: 'The phase after whose end the server has to recover: the one that offers most',
        query: `sort_desc(max by (phase) (last_over_time(${ofRun(OFFERED, 'phase!="warm-up"')}[$__range])))`,
        regex: '/phase="([^"]+)"/',
        hidden: true,
      }),
    ],
    panels: [
      stat({
        id: 1,
        title: 'Recovery time',
        description:
          `From the end of the spike to the moment from which, for ${HOLD_S} s, p99 is in the band and failures are within ` +
          `their limit. The band: up to the p99 objective of the normal phase, or ${P99_FACTOR} times its p99 where that is more; the limit: ` +
          `its failure objective, or its share of failures and ${100 * FAILURE_MARGIN}% where that is more. Read from windows of ${WINDOW_S} s, ` +
          `one each ${STEP_S} s; the report takes one each second, longer ones where there are few requests, and is the exact one. ` +
          'Without a figure it has not recovered so far, or the spike is not over.',
        unit: 's',
        width: 5,
        height: 4,
        noValue: NOT_RECOVERED,
        decimals: 0,
        expr: recoverySeconds(slowOrFailing()),
        steps: NEUTRAL,
      }),
      stat({
        id: 2,
        title: 'Recovery time of p99',
        description:
          'The same without failures: where it is the shorter one, failures went on after the answers were fast again.',
        unit: 's',
        width: 5,
        height: 4,
        noValue: NOT_RECOVERED,
        decimals: 0,
        expr: recoverySeconds(slow()),
        steps: NEUTRAL,
      }),
      stat({
        id: 3,
        title: 'Watched since',
        description: `How long the run has gone on since the spike ended. Less than ${HOLD_S} s are not enough to tell whether it recovered.`,
        unit: 's',
        width: 4,
        height: 4,
        noValue: 'The spike is not over',
        decimals: 0,
        expr: `clamp_max(vector(time()), ${runEnd()}) - ${spikeEnd()} > 0`,
        steps: NEUTRAL,
      }),
      stat({
        id: 4,
        title: 'p99, times the normal one',
        description:
          'p99 of the spike, as a multiple of the p99 of the normal phase. What the spike did to those who waited.',
        unit: 'short',
        width: 5,
        height: 4,
        noValue: 'No spike so far',
        decimals: 1,
        expr: `${of(percentileByPhase(0.99), '$spike')} / ${of(percentileByPhase(0.99), '$baseline')}`,
        steps: NEUTRAL,
      }),
      stat({
        id: 5,
        title: 'Delivered of the spike',
        description:
          'Iterations that were made in the spike, of those that were due. The rest was dropped, for all users still waited: ' +
          'the server took less than it was offered, and the latencies are those of a smaller spike.',
        unit: 'percentunit',
        width: 5,
        height: 4,
        noValue: 'No spike so far',
        expr: of(deliveredByPhase(), '$spike'),
        steps: DELIVERED_STEPS,
      }),

      row({ id: 10, title: 'Phases side by side' }),
      table({
        id: 11,
        title: 'Phases',
        description:
          'Every measured phase, all of its requests together. Read downwards: after the spike all should be as before it. ' +
          'Counts are exact, percentiles within about 5%. The last column is p99 as a multiple of the normal one.',
        width: 24,
        height: 6,
        noValue: NO_RUN,
        label: 'phase',
        heading: 'Phase',
        sortBy: 'Started',
        columns: [
          { name: 'Started', unit: 'time:HH:mm:ss', expr: startedMs() },
          {
            name: 'Offered',
            unit: 'reqps',
            expr: `max by (phase) (last_over_time(${ofRun(OFFERED, 'phase!="warm-up"')}[$__range]))`,
          },
          {
            name: 'Achieved',
            unit: 'reqps',
            expr: `${achievedByPhase()} and on (phase) ${requestsByPhase()}`,
          },
          { name: 'Delivered', unit: 'percentunit', expr: deliveredByPhase(), steps: DELIVERED_STEPS },
          { name: 'Requests', unit: 'short', expr: requestsByPhase() },
          { name: 'Failed', unit: 'percentunit', expr: failedByPhase(), steps: FAILURE_STEPS },
          { name: 'p50', unit: 's', expr: percentileByPhase(0.5) },
          { name: 'p95', unit: 's', expr: percentileByPhase(0.95) },
          { name: 'p99', unit: 's', expr: percentileByPhase(0.99) },
          {
            name: 'p99, times',
            unit: 'short',
            expr: `${percentileByPhase(0.99)} / scalar(${of(percentileByPhase(0.99), '$baseline')})`,
          },
        ],
      }),
      ...[0.5, 0.95, 0.99].map((quantile, index) =>
        barGauge({
          ...third,
          id: 12 + index,
          title: `p${100 * quantile} by phase`,
          description:
            'In the order in which the phases ran. The last bars should be as long as the first; the spike may stand out.',
          unit: 's',
          noValue: NO_RUN,
          expr: inOrder(percentileByPhase(quantile)),
          legend: '{{phase}}',
        }),
      ),
      barGauge({
        ...half,
        id: 15,
        title: 'Failed by phase',
        description: 'Failed requests of all requests. Orange from the first failure in 10,000, red from 1%.',
        unit: 'percentunit',
        noValue: NO_RUN,
        max: 1,
        expr: inOrder(failedByPhase()),
        legend: '{{phase}}',
        steps: FAILURE_STEPS,
      }),
      barGauge({
        ...half,
        id: 16,
        title: 'Delivered by phase',
        description:
          'Iterations made, of those that were due. Red below 95%: the phase is then of a smaller load than it says.',
        unit: 'percentunit',
        noValue: NO_RUN,
        max: 1,
        expr: inOrder(deliveredByPhase()),
        legend: '{{phase}}',
        steps: DELIVERED_STEPS,
      }),

      row({ id: 20, title: 'When was it normal again?' }),
      timeSeries({
        ...wide,
        id: 21,
        title: 'Latency against the band',
        description:
          'p99 below the dashed line is normal. The axis is logarithmic: a spike may take a hundred times as long. Averages ' +
          'over the last seconds, so a line comes down that much later than the latency does.',
        unit: 's',
        noValue: NO_RUN,
        logarithmic: true,
        lines: [
          { expr: percentile(0.5, DURATION), legend: 'p50', color: 'green' },
          { expr: percentile(0.99, DURATION), legend: 'p99', color: 'red' },
          { expr: whileRunning(band()), legend: 'band', color: 'text', style: 'dashed' },
        ],
      }),
      timeSeries({
        ...wide,
        id: 22,
        title: 'Failures against the limit',
        description:
          'Failed requests of all, over the last seconds. Above the dashed line, the objective of the normal phase or ' +
          `what failed in it and ${100 * FAILURE_MARGIN}%, the server has not recovered, however fast it answers the others.`,
        unit: 'percentunit',
        noValue: NO_RUN,
        lines: [
          { expr: share(FAILURES, REQUESTS), legend: 'failed', color: 'red' },
          { expr: whileRunning(failureLimit()), legend: 'limit', color: 'text', style: 'dashed' },
        ],
      }),
      offeredAndAchieved({
        id: 23,
        description:
          'What the running phase asks for, what k6 completed of it, and what it had to drop; warm-up included. What is achieved ' +
          'after the spike beyond what is offered is the queue that it left.',
      }),
      rates({
        ...wide,
        id: 24,
        title: 'Failures by kind',
        description:
          'Failed requests per second, each of one kind. In a spike: connect and timeout are a server that is lost, rate_limited ' +
          'and http_5xx one that defends itself.',
        noValue: 'No failures',
        metric: FAILURES,
        by: 'kind',
        stacked: true,
      }),

      row({ id: 30, title: 'Rate limits and breakers' }),
      timeSeries({
        ...wide,
        id: 31,
        title: 'Rate limited',
        description:
          'Requests that the server refused with 429, as it counts them and as the clients saw them. Refusing in a spike is right; ' +
          'still refusing after it is not.',
        unit: 'reqps',
        noValue: 'Nothing counts refusals',
        lines: [
          { expr: ofServer('signal:rate_limited:rate'), legend: 'by the server', color: 'orange' },
          {
            expr: `${perSecond(FAILURES, '', 'kind="rate_limited"')} or 0 * ${perSecond(REQUESTS)}`,
            legend: 'seen by clients',
            color: 'red',
            style: 'dashed',
          },
        ],
      }),
      timeSeries({
        ...wide,
        id: 32,
        title: 'Circuit breakers',
        description:
          'Breakers that opened, per second, and which are open: 1 while calls to what is behind it are refused without being ' +
          'tried. One that stays open after the spike keeps the server from recovering.',
        unit: 'cps',
        noValue: 'Nothing has breakers',
        lines: [
          { expr: ofServer('signal:breaker_open:rate'), legend: 'opened', color: 'red' },
          {
            expr: `max by (breaker) (${ofServer('detail:breaker_open:count')})`,
            legend: '{{breaker}} is open',
            axis: 'right',
            unit: 'short',
          },
        ],
      }),

      row({ id: 40, title: 'What gave way?' }),
      signal({ id: 41, signal: 'cpu:ratio' }),
      signal({ id: 42, signal: 'eventloop_lag:seconds' }),
      signal({ id: 43, signal: 'pool_used:ratio' }),
      signal({ id: 44, signal: 'pool_waiting:count' }),
      signal({ id: 45, signal: 'pool_wait:seconds' }),
      signal({ id: 46, signal: 'cache_hit:ratio' }),
      signal({ id: 47, signal: 'db_connections:ratio' }),
      signal({ id: 48, signal: 'generator_cpu:ratio' }),
    ],
  });
}
