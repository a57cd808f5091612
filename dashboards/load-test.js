/**
 * The overview of one run: is the load delivered, what do clients feel, which resource is responsible, and can the
 * generator be trusted.
 *
 * The JSON that comes out of it is checked against the SDK's types, the lint in tests/unit and, query by query, a
 * running Prometheus. It was not loaded into a running Grafana.
 */
import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DATASOURCE, row, signal, stat, table, timeSeries } from './panels.js';
import {
  offeredRate,
  ofRun,
  orZero,
  percentile,
  percentileOfRun,
  perSecond,
  phaseStarts,
  total,
} from './queries.js';

const DURATION = 'mcp_request_duration_seconds';
const REQUESTS = 'mcp_requests_total';
const FAILURES = 'mcp_failures_total';
const ITERATIONS = 'iterations_total';
const DROPPED = 'dropped_iterations_total';

/** From this share of the machine's CPU on, k6 measures itself as well as the server. */
const GENERATOR_SATURATED = 0.8;

/** Grafana's number for a variable that takes a query's result. */
const QUERY_RESULT = 3;
const RUNS = `query_result(sort_desc(max_over_time(max by (testid) (timestamp(k6_${REQUESTS}))[$__range:10s])))`;

const NO_RUN = 'No run in this time range';

/** Purple means one thing on every dashboard: do not believe the figures. */
const GENERATOR_STEPS = [
  { color: 'green', value: null },
  { color: 'orange', value: 0.6 },
  { color: 'purple', value: GENERATOR_SATURATED },
];
const FAILURE_STEPS = [
  { color: 'green', value: null },
  { color: 'orange', value: 0.0001 },
  { color: 'red', value: 0.01 },
];

const small = { width: 6, height: 7 };
const half = { width: 12, height: 9 };

/** @param {string} [by] */
const failureShare = (by) => `${orZero(total(FAILURES, by), total(REQUESTS, by))} / ${total(REQUESTS, by)}`;

/** @returns {import('@grafana/grafana-foundation-sdk/dashboard').Dashboard} */
export function loadTest() {
  return new DashboardBuilder('MCP load test')
    .uid('mcp-load-test')
    .description(
      'One run of a load test: load, what clients felt, the resources behind it, and the generator.',
    )
    .tags(['mcp-load-lab'])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: 'now-15m', to: 'now' })
    .refresh('5s')
    .timezone('browser')
    .withVariable(
      new DatasourceVariableBuilder('datasource')
        .label('Data source')
        .type('prometheus')
        .current({ text: 'Prometheus', value: 'prometheus' }),
    )
    .withVariable(
      new QueryVariableBuilder('testid')
        .label('Run')
        .description('The runs in the time range, the newest first')
        .datasource(DATASOURCE)
        // label_values() would offer every run that is still in the head block, and by name, not by age.
        .query({ qryType: QUERY_RESULT, query: RUNS, refId: 'testid' })
        .definition(RUNS)
        .regex('/testid="([^"]+)"/')
        .refresh(VariableRefresh.OnTimeRangeChanged)
        .sort(VariableSort.Disabled)
        .multi(false)
        .includeAll(false),
    )
    .annotation(
      new AnnotationQueryBuilder()
        .name('Phases')
        .datasource(DATASOURCE)
        .enable(true)
        .iconColor('blue')
        .expr(phaseStarts(ITERATIONS))
        .useValueForTime(true)
        .titleFormat('{{phase}}')
        .textFormat('The phase begins')
        .tagKeys('phase'),
    )

    .withPanel(
      stat({
        id: 1,
        title: 'Achieved rate',
        description: 'Iterations that k6 completed per second, warm-up included: now, and over time.',
        unit: 'reqps',
        width: 5,
        height: 4,
        noValue: NO_RUN,
        over: 'time',
        decimals: 1,
        expr: perSecond(ITERATIONS),
        steps: [{ color: 'blue', value: null }],
      }),
    )
    .withPanel(
      stat({
        id: 2,
        title: 'p99 latency',
        description:
          'The 99th percentile of every answered request since the run began, all phases but the warm-up together. ' +
          'Phase by phase it is in the table below.',
        unit: 's',
        width: 5,
        height: 4,
        noValue: NO_RUN,
        expr: percentileOfRun(0.99, DURATION),
        steps: [{ color: 'blue', value: null }],
      }),
    )
    .withPanel(
      stat({
        id: 3,
        title: 'Failure share',
        description:
          'Failed requests of all requests since the run began, without the warm-up. ' +
          'Orange from the first failure in 10,000, red from 1%.',
        unit: 'percentunit',
        width: 5,
        height: 4,
        noValue: NO_RUN,
        expr: failureShare(),
        steps: FAILURE_STEPS,
      }),
    )
    .withPanel(
      stat({
        id: 4,
        title: 'Load not delivered',
        description:
          'Iterations that k6 dropped because all its users were still waiting, of all that were due. ' +
          'Red from 5%: what was measured is then a smaller load than the one asked for.',
        unit: 'percentunit',
        width: 4,
        height: 4,
        noValue: NO_RUN,
        expr:
          `${orZero(total(DROPPED), total(ITERATIONS))} / ` +
          `(${total(ITERATIONS)} + ${orZero(total(DROPPED), total(ITERATIONS))})`,
        steps: [
          { color: 'green', value: null },
          { color: 'orange', value: 0.0001 },
          { color: 'red', value: 0.05 },
        ],
      }),
    )
    .withPanel(
      stat({
        id: 5,
        title: 'Generator CPU, highest',
        description:
          "The most of the machine's CPU that k6 took. Purple means not trustworthy: k6 itself was short of CPU, and " +
          'latencies may be its own. The verdict goes by the average of a phase.',
        unit: 'percentunit',
        width: 5,
        height: 4,
        noValue: 'k6 was not scraped',
        expr: 'max(max_over_time(signal:generator_cpu:ratio{testid="$testid"}[$__range]))',
        steps: GENERATOR_STEPS,
      }),
    )

    .withRow(row({ id: 10, title: 'Is the load delivered?' }))
    .withPanel(
      timeSeries({
        ...half,
        id: 11,
        title: 'Offered and achieved rate',
        description:
          'What the running phase asks for, what k6 completed of it, and what it had to drop; warm-up included. All ' +
          'are averages over the last seconds and follow a step with that delay. A test with a fixed number of users ' +
          'offers no rate.',
        unit: 'reqps',
        noValue: NO_RUN,
        lines: [
          { expr: offeredRate(), legend: 'offered', color: 'text', style: 'dashed' },
          { expr: perSecond(ITERATIONS), legend: 'achieved', color: 'green' },
          {
            expr: orZero(perSecond(DROPPED), perSecond(ITERATIONS)),
            legend: 'dropped',
            color: 'red',
            style: 'bars',
          },
        ],
      }),
    )
    .withPanel(
      timeSeries({
        ...half,
        id: 12,
        title: 'Rate by operation',
        description: 'Requests per second by operation, handshakes included, warm-up not.',
        unit: 'reqps',
        noValue: NO_RUN,
        lines: [{ expr: perSecond(REQUESTS, 'operation'), legend: '{{operation}}' }],
      }),
    )

    .withRow(row({ id: 20, title: 'What do clients feel?' }))
    .withPanel(
      timeSeries({
        ...half,
        id: 21,
        title: 'Latency percentiles',
        description:
          'From sending a request to its last byte, of answered requests, without the warm-up. Computed from native ' +
          'histograms over the last seconds, all operations together; within about 5% of the true value.',
        unit: 's',
        noValue: NO_RUN,
        lines: [
          { expr: percentile(0.5, DURATION), legend: 'p50', color: 'green' },
          { expr: percentile(0.95, DURATION), legend: 'p95', color: 'orange' },
          { expr: percentile(0.99, DURATION), legend: 'p99', color: 'red' },
        ],
      }),
    )
    .withPanel(
      timeSeries({
        ...half,
        id: 22,
        title: 'Failures by kind',
        description:
          'Failed requests per second, each of one kind: connect, timeout, http_4xx, rate_limited, http_5xx, ' +
          'protocol (not MCP), jsonrpc (an error reply), tool (isError), unexpected (not what the workload expects).',
        unit: 'reqps',
        noValue: 'No failures',
        stacked: true,
        lines: [{ expr: perSecond(FAILURES, 'kind'), legend: '{{kind}}' }],
      }),
    )
    .withPanel(
      table({
        id: 23,
        title: 'Phases',
        description:
          'Every measured phase since the run began, exact where the graphs above are averages over seconds.',
        width: 24,
        height: 7,
        noValue: NO_RUN,
        label: 'phase',
        heading: 'Phase',
        sortBy: 'Started',
        columns: [
          {
            name: 'Started',
            unit: 'time:HH:mm:ss',
            expr: `1000 * min by (phase) (min_over_time(timestamp(${ofRun(REQUESTS)})[$__range:$__interval]))`,
          },
          { name: 'Requests', unit: 'short', expr: total(REQUESTS, 'phase') },
          { name: 'Failed', unit: 'percentunit', expr: failureShare('phase'), steps: FAILURE_STEPS },
          { name: 'p50', unit: 's', expr: percentileOfRun(0.5, DURATION, 'phase') },
          { name: 'p95', unit: 's', expr: percentileOfRun(0.95, DURATION, 'phase') },
          { name: 'p99', unit: 's', expr: percentileOfRun(0.99, DURATION, 'phase') },
        ],
      }),
    )

    .withRow(row({ id: 30, title: 'Which resource is responsible, and can the generator be trusted?' }))
    .withPanel(
      signal({
        ...small,
        id: 31,
        title: 'Target CPU',
        description: "CPU that the server under test takes, of all the machine's cores.",
        unit: 'percentunit',
        signal: 'signal:cpu:ratio',
        max: 1,
      }),
    )
    .withPanel(
      signal({
        ...small,
        id: 32,
        title: 'Event-loop lag',
        description:
          "How late the worst worker's event loop runs, 99th percentile. It grows when one thread has more to do than " +
          'a core can, even with CPU left on the machine.',
        unit: 's',
        signal: 'signal:eventloop_lag:seconds',
      }),
    )
    .withPanel(
      signal({
        ...small,
        id: 33,
        title: 'Pool used',
        description: "Connections of the server's database pool in use, of its size. At 100% requests queue.",
        unit: 'percentunit',
        signal: 'signal:pool_used:ratio',
        max: 1,
        steps: [
          { color: 'green', value: null },
          { color: 'red', value: 0.8 },
        ],
      }),
    )
    .withPanel(
      signal({
        ...small,
        id: 34,
        title: 'Pool waiting',
        description:
          'Requests that wait for a connection of the pool. Anything that stays above zero is a bottleneck.',
        unit: 'short',
        signal: 'signal:pool_waiting:count',
      }),
    )
    .withPanel(
      signal({
        ...small,
        id: 35,
        title: 'Cache hit ratio',
        description: 'Lookups that the cache answered, of all lookups.',
        unit: 'percentunit',
        signal: 'signal:cache_hit:ratio',
        max: 1,
      }),
    )
    .withPanel(
      signal({
        ...small,
        id: 36,
        title: 'Database connections',
        description: 'Connections to the database, of the most that it allows.',
        unit: 'percentunit',
        signal: 'signal:db_connections:ratio',
        max: 1,
      }),
    )
    .withPanel(
      signal({
        ...small,
        id: 37,
        title: 'Host CPU',
        description: 'CPU in use on the machine, by everything that runs there, the generator included.',
        unit: 'percentunit',
        signal: 'signal:host_cpu:ratio',
        max: 1,
      }),
    )
    .withPanel(
      signal({
        ...small,
        id: 38,
        title: 'Generator CPU',
        description:
          "CPU that k6 takes, of all the machine's cores. Above the upper line its figures are not trustworthy.",
        unit: 'percentunit',
        signal: 'signal:generator_cpu:ratio{testid="$testid"}',
        max: 1,
        steps: GENERATOR_STEPS,
      }),
    )
    .build();
}
