/**
 * The overview of one run: is the load delivered, what do clients feel, which resource is responsible, and can the
 * generator be trusted.
 *
 * The JSON that comes out of it is checked against the SDK's types, the lint in tests/unit and, query by query, a
 * running Prometheus. It was not loaded into a running Grafana.
 */
import { dashboard } from './dashboard.js';
import {
  barGauge,
  NO_RUN,
  offeredAndAchieved,
  percentiles,
  rates,
  row,
  signal,
  stat,
  table,
  timeSeries,
} from './panels.js';
import {
  DROPPED,
  DURATION,
  FAILURES,
  highest,
  ITERATIONS,
  mean,
  named,
  ofServer,
  orZero,
  percentileOfRun,
  perSecond,
  phaseStarted,
  REQUESTS,
  shareOfRun,
  total,
} from './queries.js';
import { FAILURE_STEPS, GENERATOR_STEPS, NEUTRAL, SIGNALS, steps } from './signal-catalogue.js';

const SERVER_CPU = ofServer('signal:cpu:ratio');
const HOST_CPU = ofServer('signal:host_cpu:ratio');
const GENERATOR_CPU = ofServer('signal:generator_cpu:ratio');

/** What can be used up, and how much of it is. */
const LIMITED = {
  'Pool connections': ofServer('signal:pool_used:ratio'),
  'Worker CPU': ofServer('signal:worker_cpu:ratio'),
  'Host CPU': HOST_CPU,
  'Host memory': ofServer('signal:host_memory:ratio'),
  'Database connections': ofServer('signal:db_connections:ratio'),
  'Generator CPU': GENERATOR_CPU,
};

/** A thread that has 90% of a core is late for most of what it has to do. */
const FULL = steps(0.8, 0.9);

const half = { width: 12, height: 9 };
const quarter = { width: 6, height: 7 };
const sixth = { width: 4, height: 4 };

export function loadTest() {
  return dashboard({
    uid: 'mcp-load-test',
    title: 'Load test',
    folder: 'runs',
    description:
      'One run of a load test: load, what clients felt, the resources behind it, and the generator.',
    panels: [
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
        steps: NEUTRAL,
      }),
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
        steps: NEUTRAL,
      }),
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
        expr: shareOfRun(FAILURES, REQUESTS),
        steps: FAILURE_STEPS,
      }),
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
        steps: steps(0.0001, 0.05),
      }),
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
        expr: `max(${highest(GENERATOR_CPU)})`,
        steps: GENERATOR_STEPS,
      }),

      row({ id: 10, title: 'Is the load delivered?' }),
      offeredAndAchieved({
        id: 11,
        description:
          'What the running phase asks for, what k6 completed of it, and what it had to drop; warm-up included. All ' +
          'are averages over the last seconds and follow a step with that delay. A test with a fixed number of users ' +
          'offers no rate.',
      }),
      rates({
        ...half,
        id: 12,
        title: 'Rate by operation',
        description: 'Requests per second by operation, handshakes included, warm-up not.',
        metric: REQUESTS,
        by: 'operation',
      }),

      row({ id: 20, title: 'What do clients feel?' }),
      percentiles({ ...half, id: 21, metric: DURATION, objective: true }),
      rates({
        ...half,
        id: 22,
        title: 'Failures by kind',
        description:
          'Failed requests per second, each of one kind: connect, timeout, http_4xx, rate_limited, http_5xx, ' +
          'protocol (not MCP), jsonrpc (an error reply), tool (isError), unexpected (not what the workload expects).',
        noValue: 'No failures',
        stacked: true,
        metric: FAILURES,
        by: 'kind',
      }),
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
            expr: phaseStarted(REQUESTS),
          },
          { name: 'Requests', unit: 'short', expr: total(REQUESTS, 'phase') },
          {
            name: 'Failed',
            unit: 'percentunit',
            expr: shareOfRun(FAILURES, REQUESTS, 'phase'),
            steps: FAILURE_STEPS,
          },
          { name: 'p50', unit: 's', expr: percentileOfRun(0.5, DURATION, 'phase') },
          { name: 'p95', unit: 's', expr: percentileOfRun(0.95, DURATION, 'phase') },
          { name: 'p99', unit: 's', expr: percentileOfRun(0.99, DURATION, 'phase') },
        ],
      }),

      row({ id: 30, title: 'Which resource gave way?' }),
      barGauge({
        ...half,
        id: 31,
        title: 'How close to its limit each came',
        description:
          'The worst six seconds of each resource, the fullest first: red gave way. Where several are red, one fills the ' +
          'others: a full host CPU fills workers and pool, so look below at who takes it; full workers on a machine with ' +
          'room fill the pool, and are too few; only a pool that is full alone is too small. Where nothing is red and ' +
          'clients wait, it is one of the figures below.',
        unit: 'percentunit',
        max: 1,
        noValue: 'Nothing exports signals',
        expr: `sort_desc(${named(
          mapValues(LIMITED, (series) => highest(series)),
          'resource',
        )})`,
        legend: '{{resource}}',
        steps: FULL,
      }),
      timeSeries({
        ...half,
        id: 32,
        title: 'The same over time',
        description:
          'Each resource as a share of what there is of it. What reaches 100% first, before the latency rises, is the ' +
          'cause; what follows is an effect.',
        unit: 'percentunit',
        max: 1,
        noValue: 'Nothing exports signals',
        lines: Object.entries(LIMITED).map(([legend, expr]) => ({ expr: `max(${expr})`, legend })),
        steps: FULL,
      }),
      stat({
        ...sixth,
        id: 33,
        title: 'Pool wait, worst',
        description:
          'How long a request waited for a database connection, in the worst six seconds. More connections help only ' +
          'while the database and the CPU have room.',
        unit: 's',
        noValue: 'Not exported',
        expr: `max(${highest(ofServer('signal:pool_wait:seconds'))})`,
        steps: steps(0.01, 0.1),
      }),
      stat({
        ...sixth,
        id: 34,
        title: 'Loop lag, worst',
        description:
          'How late the event loop of the worst worker ran, in the worst six seconds. Red with full workers: too few of ' +
          'them. Red with a full host CPU: the machine.',
        unit: 's',
        noValue: 'Not exported',
        expr: `max(${highest(ofServer('signal:eventloop_lag:seconds'))})`,
        steps: SIGNALS['eventloop_lag:seconds']?.steps ?? [],
      }),
      stat({
        ...sixth,
        id: 35,
        title: 'Cache hits',
        description:
          'Of all look-ups in the time range, on average. Without look-ups nothing is cached, and each call goes to the ' +
          'database: see transactions per request below.',
        unit: 'percentunit',
        noValue: 'No look-ups',
        expr: `max(avg_over_time(${ofServer('signal:cache_hit:ratio')}[$__range]))`,
        steps: [
          { color: 'red', value: null },
          { color: 'orange', value: 0.3 },
          { color: 'green', value: 0.6 },
        ],
      }),
      stat({
        ...sixth,
        id: 36,
        title: 'Upstream, worst',
        description:
          'How long services behind the server took to answer it, in the worst six seconds. The calls that need them ' +
          'are as slow as they are, whatever the server has left.',
        unit: 's',
        noValue: 'Not exported',
        expr: `max(${highest(ofServer('signal:upstream:seconds'))})`,
        steps: steps(1, 2),
      }),
      stat({
        ...sixth,
        id: 37,
        title: 'Refused, worst',
        description:
          'Requests per second that the server refused with 429, in the worst six seconds. It could, but may not.',
        unit: 'reqps',
        noValue: 'Not exported',
        expr: `max(${highest(ofServer('signal:rate_limited:rate'))})`,
        steps: steps(0.01, 1),
      }),
      stat({
        ...sixth,
        id: 38,
        title: 'Breakers, worst',
        description:
          'Circuit breakers that opened per second, in the worst six seconds: what is behind the server failed, and it ' +
          'stopped asking.',
        unit: 'cps',
        noValue: 'Not exported',
        expr: `max(${highest(ofServer('signal:breaker_open:rate'))})`,
        steps: steps(0.01, 1),
      }),

      row({ id: 40, title: 'The server over time' }),
      signal({ id: 41, signal: 'pool_used:ratio' }),
      signal({ id: 42, signal: 'pool_waiting:count' }),
      timeSeries({
        ...quarter,
        id: 43,
        title: 'Pool wait, of the latency',
        description:
          'Average wait for a database connection, as a share of the average latency. Near 100% the pool is what ' +
          'clients wait for; where the latency is high and this is low, it is something else.',
        unit: 'percentunit',
        max: 1,
        noValue: 'Nothing exports this signal',
        lines: [
          {
            expr: `clamp_max(max(${ofServer('signal:pool_wait:seconds')}) / ${mean(DURATION)}, 1)`,
            legend: 'share',
          },
        ],
      }),
      signal({ id: 44, signal: 'cache_hit:ratio' }),
      signal({ id: 45, signal: 'worker_cpu:ratio' }),
      signal({ id: 46, signal: 'eventloop_lag:seconds' }),
      signal({ id: 47, signal: 'memory:bytes' }),
      timeSeries({
        ...quarter,
        id: 48,
        title: 'Transactions per request',
        description:
          'Database transactions that a request costs, on average. It rises when a cache stops answering; the exporter and ' +
          'health checks add a few a second, which shows where the load is small.',
        unit: 'short',
        noValue: 'Nothing exports this signal',
        lines: [
          {
            expr: `max(${ofServer('signal:db_transactions:rate')}) / (${perSecond(REQUESTS)} > 0)`,
            legend: 'transactions',
          },
        ],
      }),
      signal({ id: 49, signal: 'db_connections:ratio' }),
      signal({ id: 50, signal: 'db_locks:count' }),
      signal({ id: 51, signal: 'upstream:seconds' }),
      signal({ id: 52, signal: 'rate_limited:rate' }),

      row({ id: 60, title: 'The machine, and can the generator be trusted?' }),
      timeSeries({
        ...quarter,
        id: 61,
        title: 'Who takes the CPU',
        description:
          "Of all the machine's cores: the server under test, the generator, and all else that runs there, such as the " +
          'database and the cache. Where a request costs the database more than it did, all else grows.',
        unit: 'percentunit',
        max: 1,
        stacked: true,
        noValue: 'Nothing exports this signal',
        lines: [
          { expr: `max(${SERVER_CPU})`, legend: 'server', color: 'green' },
          { expr: `max(${GENERATOR_CPU})`, legend: 'generator', color: 'purple' },
          {
            expr:
              `clamp_min(max(${HOST_CPU}) - ${orZero(`max(${SERVER_CPU})`, `max(${HOST_CPU})`)}` +
              ` - ${orZero(`max(${GENERATOR_CPU})`, `max(${HOST_CPU})`)}, 0)`,
            legend: 'all else',
            color: 'orange',
          },
        ],
      }),
      signal({ id: 62, signal: 'host_cpu:ratio' }),
      signal({ id: 63, signal: 'host_memory:ratio' }),
      signal({ id: 64, signal: 'generator_cpu:ratio' }),
    ],
  });
}

/** @param {Record<string, string>} values @param {(value: string) => string} convert */
function mapValues(values, convert) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(value)]));
}
