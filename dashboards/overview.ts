/**
 * Overview of a run: verdict; load, latency, failures, the limiting resource and CPU on one time axis; phases and
 * findings.
 */
import { dashboard } from './dashboard.ts';
import { barGauge, NOT_EXPORTED, row, signal, stat, table, timeSeries } from './panels.ts';
import {
  achievedByPhase,
  CONNECTIONS,
  DROPPED,
  DURATION,
  deliveredByPhase,
  FAILURES,
  failedByPhase,
  firstPhase,
  goodputAtPeak,
  ITEMS,
  ITERATIONS,
  inOrder,
  itemsPerSecondByPhase,
  objective,
  ofServer,
  orZero,
  p99VsBaseline,
  peaksOf,
  percentile,
  percentileByPhase,
  perSecond,
  RECONNECTIONS,
  REQUESTS,
  recoverySeconds,
  requestsByPhase,
  share,
  shareOfConnecting,
  startedByPhase,
  targetByPhase,
  targetRate,
  total,
  worstJudged,
  written,
} from './queries.ts';
import { FAILURE_STEPS, NEUTRAL, type Step, steps } from './signals.ts';

const GENERATOR_CPU = ofServer('signal:generator_cpu:ratio');
const HOST_CPU = ofServer('signal:host_cpu:ratio');
const SERVER_CPU = ofServer('signal:cpu:ratio');

/** Resources that can be exhausted: their utilization, and the subject of the findings that name them. */
const RESOURCES = [
  { name: 'Pool', subject: 'connection pool', series: ofServer('signal:pool_utilization:ratio') },
  { name: 'CPU per worker', subject: 'target CPU', series: ofServer('signal:worker_cpu:ratio') },
  { name: 'Host CPU', subject: 'host CPU', series: HOST_CPU },
  { name: 'Host memory', subject: 'memory', series: ofServer('signal:host_memory:ratio') },
  { name: 'Database connections', subject: 'database', series: ofServer('signal:db_connections:ratio') },
  { name: 'Redis CPU', subject: 'cache', series: ofServer('signal:cache_server_cpu:ratio') },
  { name: 'Generator CPU', subject: 'load generator', series: GENERATOR_CPU },
];

const bottleneck = (subject: string) =>
  `last_over_time(mcp_finding{testid="$testid", kind="bottleneck", subject=~"${subject}"}[$__range] @ end())`;
const ANY_BOTTLENECK = bottleneck(RESOURCES.map(({ subject }) => subject).join('|'));
/** The series if a finding names its resource or no finding names a resource. */
const ifLimiting = (series: string, subject: string) =>
  `max(${series}) and on () (count(${bottleneck(subject)}) or absent(${ANY_BOTTLENECK}))`;

const others =
  `clamp_min(max(${HOST_CPU}) - ${orZero(`max(${SERVER_CPU})`, `max(${HOST_CPU})`)}` +
  ` - ${orZero(`max(${GENERATOR_CPU})`, `max(${HOST_CPU})`)}, 0)`;

const DELIVERED_STEPS: Step[] = [
  { color: 'red', value: null },
  { color: 'orange', value: 0.95 },
  { color: 'green', value: 0.9999 },
];
const full = { width: 24, height: 7 };
const strip = { width: 24, height: 6, namesOnly: true };
const half = { width: 12, height: 9 };
const halfStrip = { ...strip, width: 12 };
/** Size of the tiles, which show the figures of report.html with the same definitions (analysis/report/figures.ts). */
const tile = { width: 6, height: 4 };

export const overview = () =>
  dashboard({
    uid: 'mcp-overview',
    title: 'Overview',
    description: 'A run of a load test: the verdict, the client metrics and the limiting resource.',
    variables: [
      {
        name: 'baseline',
        label: 'Baseline',
        description: 'The first measured phase',
        query: firstPhase(),
        regex: '/phase="([^"]+)"/',
        hidden: true,
      },
    ],
    panels: [
      table({
        width: 24,
        height: 3,
        title: 'Verdict (report: results/$testid/report.html)',
        description: 'The verdict of the run and its first reason, written at the end of the run.',
        noValue: 'No verdict yet: the run has not ended',
        labels: { outcome: 'Verdict', statement: 'Reason' },
        sortBy: 'Ended',
        columns: [
          { name: 'Ended', unit: 'time:HH:mm:ss', expr: written('mcp_verdict', 'outcome, statement') },
        ],
      }),
      stat({
        ...tile,
        title: 'Goodput, peak load',
        description: 'Successful requests per second in the phase with the highest load.',
        unit: 'reqps',
        expr: goodputAtPeak(),
        steps: NEUTRAL,
      }),
      stat({
        ...tile,
        title: 'p99, worst judged phase',
        description: '99th percentile of the latency of all calls, in the worst phase with objectives.',
        unit: 's',
        expr: worstJudged(percentileByPhase(0.99)),
        steps: NEUTRAL,
      }),
      stat({
        ...tile,
        title: 'Failure rate, worst phase',
        description: 'Failed requests in the worst measured phase, as a share of its requests.',
        unit: 'percentunit',
        expr: `max(${failedByPhase()})`,
        steps: FAILURE_STEPS,
      }),
      stat({
        ...tile,
        title: 'Time to recover',
        description: 'Time from the end of an overload until latency and failures are back to normal.',
        unit: 's',
        noValue: 'No overload, or no recovery',
        expr: recoverySeconds(),
        steps: NEUTRAL,
      }),
      timeSeries({
        ...strip,
        title: 'Target and achieved rate',
        description:
          'Iterations per second: the target rate of the phase, completed iterations, and iterations dropped because all VUs were busy.',
        unit: 'reqps',
        lines: [
          { expr: targetRate(), legend: 'target', color: 'text', dashed: true },
          { expr: perSecond(ITERATIONS), legend: 'achieved', color: 'green' },
          { expr: orZero(perSecond(DROPPED), perSecond(ITERATIONS)), legend: 'dropped', color: 'red' },
        ],
      }),
      timeSeries({
        ...strip,
        title: 'Latency',
        description:
          'Latency of all calls, including connecting, within 5% of the true value. A call without an answer counts with the time that it waited. Dashed: the limits of the current phase.',
        unit: 's',
        logarithmic: true,
        lines: [
          { expr: percentile(0.5, DURATION), legend: 'p50', color: 'green' },
          { expr: percentile(0.95, DURATION), legend: 'p95', color: 'orange' },
          { expr: percentile(0.99, DURATION), legend: 'p99', color: 'red' },
          { expr: objective('p95'), legend: 'p95 limit', color: 'orange', dashed: true },
          { expr: objective('p99'), legend: 'p99 limit', color: 'red', dashed: true },
          { expr: percentile(0.99, DURATION, '', 'outcome="ok"'), legend: 'p99 of successes', color: 'blue' },
        ],
      }),
      timeSeries({
        ...halfStrip,
        title: 'Connections',
        description:
          'Connections that clients open per second. A reconnection follows an answer within 1 s, because the server closed the previous connection.',
        unit: 'cps',
        lines: [
          { expr: orZero(perSecond(CONNECTIONS), perSecond(REQUESTS)), legend: 'opened', color: 'blue' },
          {
            expr: orZero(perSecond(RECONNECTIONS), perSecond(REQUESTS)),
            legend: 'reconnections',
            color: 'orange',
          },
        ],
      }),
      timeSeries({
        ...halfStrip,
        title: 'Connection time share',
        description:
          'Time to get a connection (waiting for a free connection, DNS, TCP, TLS), as a share of the latency of all calls.',
        unit: 'percentunit',
        max: 1,
        lines: [{ expr: shareOfConnecting(), legend: 'connecting', color: 'blue' }],
      }),
      timeSeries({
        ...strip,
        title: 'Failure rate',
        description: 'Failed requests, as a share of all requests. Dashed: the limit of the current phase.',
        unit: 'percentunit',
        lines: [
          { expr: share(FAILURES, REQUESTS), legend: 'failed', color: 'red' },
          { expr: objective('failure_rate'), legend: 'limit', color: 'text', dashed: true },
        ],
      }),
      timeSeries({
        ...strip,
        title: 'Utilization of the limiting resource',
        description:
          'The resource in the bottleneck finding, or all resources if there is no such finding. The resource that reaches 100% before latency rises is the cause.',
        unit: 'percentunit',
        max: 1,
        noValue: NOT_EXPORTED,
        lines: RESOURCES.map(({ name, subject, series }) => ({
          expr: ifLimiting(series, subject),
          legend: name,
        })),
      }),
      timeSeries({
        ...strip,
        title: 'CPU by consumer',
        description:
          "CPU usage of the server, the generator and all other processes, such as the database, as a share of the machine's cores.",
        unit: 'percentunit',
        max: 1,
        stacked: true,
        noValue: NOT_EXPORTED,
        lines: [
          { expr: `max(${SERVER_CPU})`, legend: 'server', color: 'green' },
          { expr: `max(${GENERATOR_CPU})`, legend: 'generator', color: 'purple' },
          { expr: others, legend: 'others', color: 'orange' },
        ],
      }),
      table({
        ...full,
        title: 'Phases',
        description: 'All requests per measured phase. Counts are exact, percentiles are within 5%.',
        labels: { phase: 'Phase' },
        sortBy: 'Started',
        columns: [
          { name: 'Started', unit: 'time:HH:mm:ss', expr: startedByPhase() },
          { name: 'Target', unit: 'reqps', expr: targetByPhase() },
          { name: 'Achieved', unit: 'reqps', expr: achievedByPhase() },
          { name: 'Delivered', unit: 'percentunit', expr: deliveredByPhase(), steps: DELIVERED_STEPS },
          { name: 'Requests', unit: 'short', expr: requestsByPhase() },
          { name: 'Failed', unit: 'percentunit', expr: failedByPhase(), steps: FAILURE_STEPS },
          { name: 'p50', unit: 's', expr: percentileByPhase(0.5) },
          { name: 'p95', unit: 's', expr: percentileByPhase(0.95) },
          { name: 'p99', unit: 's', expr: percentileByPhase(0.99) },
        ],
      }),
      table({
        ...full,
        height: 9,
        title: 'Findings',
        description:
          'The findings of the verdict by phase: the bottleneck, the onset of degradation, the recovery, leaks and doubts.',
        noValue: 'No findings yet: the run has not ended',
        labels: { kind: 'Kind', subject: 'Subject', phase: 'Phase', statement: 'Finding' },
        sortBy: 'At',
        columns: [
          {
            name: 'At',
            unit: 'time:HH:mm:ss',
            expr: written('mcp_finding', 'kind, subject, phase, statement'),
          },
        ],
      }),

      row('By resource and phase'),
      barGauge({
        ...half,
        title: 'Peak utilization by resource',
        description: 'The highest six-second mean of each resource.',
        unit: 'percentunit',
        max: 1,
        noValue: NOT_EXPORTED,
        expr: `sort_desc(${peaksOf(RESOURCES)})`,
        legend: '{{resource}}',
        steps: steps(0.8, 0.9),
      }),
      barGauge({
        ...half,
        title: 'p99 vs baseline',
        description: 'p99 of each phase, as a multiple of the p99 in the first measured phase.',
        unit: 'short',
        expr: inOrder(p99VsBaseline()),
        legend: '{{phase}}',
      }),
      timeSeries({
        ...half,
        title: 'Failures by kind',
        description: 'Failed requests per second, by kind of failure.',
        unit: 'reqps',
        noValue: 'No failures',
        stacked: true,
        lines: [{ expr: perSecond(FAILURES, 'kind'), legend: '{{kind}}' }],
      }),
      barGauge({
        ...half,
        title: 'Failure rate by phase',
        description:
          'Failed requests, as a share of all requests. Orange: at least one failure in 10,000 requests; red: at least 1%.',
        unit: 'percentunit',
        max: 1,
        expr: inOrder(failedByPhase()),
        legend: '{{phase}}',
        steps: FAILURE_STEPS,
      }),

      row('Batches'),
      table({
        ...full,
        title: 'Throughput by batch size',
        description:
          'Items per second and latency per batch size. Above the best size, larger batches only take longer.',
        noValue: 'The run has no batches',
        labels: { phase: 'Phase' },
        sortBy: 'Items/s',
        descending: true,
        columns: [
          { name: 'Items/s', unit: 'short', expr: itemsPerSecondByPhase() },
          { name: 'Items', unit: 'short', expr: total(ITEMS, 'phase') },
          {
            name: 'p50',
            unit: 's',
            expr: `${percentileByPhase(0.5)} and on (phase) ${total(ITEMS, 'phase')}`,
          },
          {
            name: 'p99',
            unit: 's',
            expr: `${percentileByPhase(0.99)} and on (phase) ${total(ITEMS, 'phase')}`,
          },
        ],
      }),

      row('Long runs and faults'),
      signal('memory:bytes'),
      signal('sessions:count'),
      signal('pool_connections_in_use:count'),
      signal('eventloop_lag:seconds'),
      signal('cache_hit:ratio'),
      signal('upstream:seconds'),
      signal('rate_limited:rate'),
      signal('breaker_open:rate'),
    ],
  });
