/**
 * Whether the results are trustworthy: the state of k6, load that k6 could not generate, and samples that did not
 * reach Prometheus.
 */
import { MAX_GENERATOR_CPU } from '../contract/limits.js';
import { dashboard } from './dashboard.ts';
import { row, signal, stat, timeSeries } from './panels.ts';
import { DROPPED, highest, ITERATIONS, ofRun, ofServer, orZero, perSecond, rate, total } from './queries.ts';
import { GENERATOR_STEPS, type Step } from './signals.ts';

/** Maximum share of the load that may be dropped. */
const MAX_DROPPED = 0.05;
const distrustedFrom = (value: number): Step[] => [
  { color: 'green', value: null },
  { color: 'purple', value },
];

const K6 = '{job="k6", testid="$testid"}';
const WRITES = 'prometheus_http_requests_total{handler="/api/v1/write"';
/**
 * At the end of a run, k6's stale markers of histograms are out of order, so only floats are counted. Prometheus 2.42
 * has no counter of invalid labels.
 */
const REJECTED = {
  'out of order': 'prometheus_tsdb_out_of_order_samples_total{type="float"}',
  'out of bounds': 'prometheus_tsdb_out_of_bound_samples_total',
  'too old': 'prometheus_tsdb_too_old_samples_total',
  'invalid labels': 'prometheus_api_remote_write_invalid_labels_samples_total',
};

const writes = `sum(increase(${WRITES}}[$__range]))`;
const refusedWrites = orZero(`sum(increase(${WRITES}, code!~"2.."}[$__range]))`, writes);
const rejected = Object.values(REJECTED)
  .map((counter) => orZero(`sum(increase(${counter}[$__range]))`, writes))
  .join(' + ');
const cpu = `max(${highest(ofServer('signal:generator_cpu:ratio'))})`;
const dropped = orZero(total(DROPPED), total(ITERATIONS));
const droppedShare = `${dropped} / (${total(ITERATIONS)} + ${dropped})`;
const problems = [
  `(${cpu} >bool ${MAX_GENERATOR_CPU})`,
  `(${droppedShare} >bool ${MAX_DROPPED})`,
  `(${refusedWrites} >bool 0)`,
  `(${rejected} >bool 0)`,
].join(' + ');

const tile = { width: 6, height: 4 };
const half = { width: 12, height: 9 };

export const generator = () =>
  dashboard({
    uid: 'mcp-generator',
    title: 'Generator',
    description: 'Whether the results of a run are trustworthy.',
    panels: [
      stat({
        ...tile,
        title: 'Generator health',
        description:
          'Degraded: k6 used more than 80% of the CPU for six seconds, k6 dropped more than 5% of the load, or Prometheus rejected samples. In a deliberate overload, dropped load is a finding about the server.',
        unit: 'short',
        expr: problems,
        texts: ['OK', 'Degraded: 1 reason', 'Degraded: several reasons'],
        steps: distrustedFrom(1),
      }),
      stat({
        ...tile,
        title: 'CPU, peak',
        description: 'Highest CPU usage of k6 over six seconds. Purple: the latencies are not trustworthy.',
        unit: 'percentunit',
        noValue: 'k6 was not scraped',
        expr: cpu,
        steps: GENERATOR_STEPS,
      }),
      stat({
        ...tile,
        title: 'Dropped load',
        description:
          'Iterations that k6 dropped because all VUs were busy, as a share of all planned iterations.',
        unit: 'percentunit',
        expr: droppedShare,
        steps: distrustedFrom(MAX_DROPPED),
      }),
      stat({
        ...tile,
        title: 'Rejected samples',
        description:
          'Samples from any source that Prometheus rejected in the time range, and rejected writes.',
        unit: 'short',
        decimals: 0,
        noValue: 'Prometheus does not scrape itself',
        expr: `${rejected} + ${refusedWrites}`,
        steps: distrustedFrom(1),
      }),
      signal('generator_cpu:ratio', half),
      signal('host_cpu:ratio', half),
      timeSeries({
        ...half,
        title: 'VUs',
        description: 'Running VUs and maximum VUs. If all VUs are busy, k6 drops iterations.',
        unit: 'short',
        lines: [
          {
            expr: `sum(last_over_time(${ofRun('vus_max')}[$__rate_interval]))`,
            legend: 'limit',
            color: 'text',
            dashed: true,
          },
          {
            expr: `sum(last_over_time(${ofRun('vus')}[$__rate_interval]))`,
            legend: 'running',
            color: 'blue',
          },
        ],
      }),
      timeSeries({
        ...half,
        title: 'Dropped iterations',
        description: 'Iterations per second that k6 dropped because all VUs were busy, by scenario.',
        unit: 'ops',
        noValue: 'No dropped iterations',
        stacked: true,
        lines: [{ expr: perSecond(DROPPED, 'scenario'), legend: '{{scenario}}' }],
      }),

      row('Process and samples'),
      timeSeries({
        ...half,
        title: 'Memory of k6',
        description: 'Resident memory and heap in use.',
        unit: 'bytes',
        noValue: 'k6 was not scraped',
        lines: [
          { expr: `sum(process_resident_memory_bytes${K6})`, legend: 'resident', color: 'blue' },
          { expr: `sum(go_memstats_heap_inuse_bytes${K6})`, legend: 'heap in use', color: 'green' },
        ],
      }),
      timeSeries({
        ...half,
        title: 'Garbage collection pauses of k6',
        description: 'The longest pause. Shorter latencies cannot be distinguished from a pause.',
        unit: 's',
        noValue: 'k6 was not scraped',
        lines: [{ expr: `max(go_gc_duration_seconds${K6})`, legend: 'longest pause' }],
      }),
      timeSeries({
        ...half,
        title: 'Writes to Prometheus',
        description: 'Remote writes per second by HTTP status. Only writes with status 2xx were stored.',
        unit: 'ops',
        noValue: 'Prometheus does not scrape itself',
        lines: [{ expr: rate(`${WRITES}}`, 'code'), legend: '{{code}}' }],
      }),
      timeSeries({
        ...half,
        title: 'Rejected samples over time',
        description: 'Samples per second that Prometheus rejected, by reason.',
        unit: 'ops',
        noValue: 'Prometheus does not scrape itself',
        lines: Object.entries(REJECTED).map(([legend, counter]) => ({
          expr: orZero(rate(counter), rate(`${WRITES}}`)),
          legend,
        })),
      }),
    ],
  });
