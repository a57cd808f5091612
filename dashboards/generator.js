/** Was k6 fast enough to be believed, and did what it measured arrive? */
import { dashboard } from './dashboard.js';
import { NO_RUN, row, signal, stat, timeSeries } from './panels.js';
import { DROPPED, highest, ITERATIONS, ofRun, ofServer, orZero, perSecond, rate, total } from './queries.js';
import { GENERATOR_SATURATED, GENERATOR_STEPS } from './signal-catalogue.js';

/** Of the load that a phase promises, this must have been delivered. */
const MOST_DROPPED = 0.05;

/** @param {number} from @returns {import('./panels.js').Step[]} */
const distrustedFrom = (from) => [
  { color: 'green', value: null },
  { color: 'purple', value: from },
];

const K6 = '{job="k6", testid="$testid"}';
const WRITES = 'prometheus_http_requests_total{handler="/api/v1/write"';
/**
 * Why Prometheus does not take a sample, by what counts it. Out of order are, at each run's end, k6's marks that its
 * histograms have ended, too: nothing is lost with them. Two generators that send one series lose plain samples as well.
 */
const REJECTED = {
  'out of order': 'prometheus_tsdb_out_of_order_samples_total{type="float"}',
  'out of bounds': 'prometheus_tsdb_out_of_bound_samples_total',
  'too old': 'prometheus_tsdb_too_old_samples_total',
  'invalid labels': 'prometheus_api_remote_write_invalid_labels_samples_total',
};

const written = `sum(increase(${WRITES}}[$__range]))`;
const refusedWrites = orZero(`sum(increase(${WRITES}, code!~"2.."}[$__range]))`, written);
const rejected = Object.values(REJECTED)
  .map((counter) => `sum(increase(${counter}[$__range]))`)
  .join(' + ');
const cpu = `max(${highest(ofServer('signal:generator_cpu:ratio'))})`;
const dropped = orZero(total(DROPPED), total(ITERATIONS));
const droppedShare = `${dropped} / (${total(ITERATIONS)} + ${dropped})`;

/** @param {string} expression @param {string} limit */
const isReason = (expression, limit) => `(${expression} >bool ${limit})`;

const small = { width: 5, height: 4 };
const half = { width: 12, height: 9 };

export function generator() {
  return dashboard({
    uid: 'mcp-generator',
    title: 'Generator',
    folder: 'runs',
    description:
      'Whether the other dashboards can be believed: k6 itself, the load that it could not make, and what was lost on ' +
      'the way to Prometheus.',
    panels: [
      stat({
        id: 1,
        title: 'Believe the rest?',
        description:
          'No, where k6 took more than 80% of the CPU for six seconds, where more than 5% of the load was dropped, or ' +
          'where Prometheus refused what k6 or an exporter sent. The panels beside this one say which. A spike is ' +
          'meant to be too much: dropped load there is a finding about the server, not a fault of the run.',
        unit: 'short',
        width: 4,
        height: 4,
        noValue: NO_RUN,
        expr: [
          isReason(cpu, String(GENERATOR_SATURATED)),
          isReason(droppedShare, String(MOST_DROPPED)),
          isReason(refusedWrites, '0'),
          isReason(rejected, '0'),
        ].join(' + '),
        sayings: [
          { from: 0, to: 0, text: 'Yes' },
          { from: 1, to: 1, text: 'No: 1 reason' },
          { from: 2, to: 4, text: 'No: several reasons' },
        ],
        steps: distrustedFrom(1),
      }),
      stat({
        ...small,
        id: 2,
        title: 'CPU, worst six seconds',
        description:
          "The most of the machine's CPU that k6 took on average over six seconds. Purple: k6 was short of CPU itself, " +
          'and the latencies may be its own.',
        unit: 'percentunit',
        noValue: 'k6 was not scraped',
        expr: cpu,
        steps: GENERATOR_STEPS,
      }),
      stat({
        ...small,
        id: 3,
        title: 'Load not delivered',
        description:
          'Iterations that k6 dropped because no user was free, of all that were due. Purple from 5%: what was ' +
          'measured is a smaller load than the one asked for.',
        unit: 'percentunit',
        noValue: NO_RUN,
        expr: droppedShare,
        steps: distrustedFrom(MOST_DROPPED),
      }),
      stat({
        ...small,
        id: 4,
        title: 'Refused pushes',
        description:
          'Writes that Prometheus answered with an error, from any run in the time range. Whatever was in them is ' +
          'missing from every dashboard; k6 does not send it again.',
        unit: 'short',
        decimals: 0,
        noValue: 'Prometheus does not scrape itself',
        expr: refusedWrites,
        steps: distrustedFrom(1),
      }),
      stat({
        ...small,
        id: 5,
        title: 'Rejected samples',
        description:
          'Samples that Prometheus did not take: out of order, out of bounds, too old or with invalid labels, from ' +
          'any source in the time range. Two generators that send the same series are the usual cause.',
        unit: 'short',
        decimals: 0,
        noValue: 'Prometheus does not scrape itself',
        expr: rejected,
        steps: distrustedFrom(1),
      }),

      row({ id: 10, title: 'Is k6 the bottleneck?' }),
      signal({ id: 11, signal: 'generator_cpu:ratio', ...half }),
      signal({ id: 12, signal: 'host_cpu:ratio', ...half }),
      timeSeries({
        ...half,
        id: 13,
        title: 'Users',
        description:
          'Virtual users that run, of those that k6 may use. Once all of them wait for an answer, k6 drops what it ' +
          'should have begun.',
        unit: 'short',
        noValue: NO_RUN,
        lines: [
          {
            expr: `sum(last_over_time(${ofRun('vus_max')}[$__rate_interval]))`,
            legend: 'allowed',
            style: 'dashed',
            color: 'text',
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
        id: 14,
        title: 'Dropped iterations',
        description: 'What k6 should have begun and had no user for, per second, by scenario.',
        unit: 'cps',
        noValue: 'Nothing was dropped',
        stacked: true,
        lines: [{ expr: perSecond(DROPPED, 'scenario'), legend: '{{scenario}}' }],
      }),

      row({ id: 20, title: 'Its process' }),
      timeSeries({
        ...half,
        id: 21,
        title: 'Memory of k6',
        description:
          'Resident memory, and what of it are live objects of Go. A run that keeps its samples grows by some 226 ' +
          'bytes a request.',
        unit: 'bytes',
        noValue: 'k6 was not scraped',
        lines: [
          { expr: `sum(process_resident_memory_bytes${K6})`, legend: 'resident', color: 'blue' },
          { expr: `sum(go_memstats_heap_inuse_bytes${K6})`, legend: 'heap in use', color: 'green' },
        ],
      }),
      timeSeries({
        ...half,
        id: 22,
        title: "Pauses of k6's garbage collector",
        description:
          'The longest pause in which nothing of k6 runs: no latency below it can be told from it.',
        unit: 's',
        noValue: 'k6 was not scraped',
        lines: [
          {
            expr: `max(go_gc_duration_seconds${K6})`,
            legend: 'longest pause',
          },
        ],
      }),
      timeSeries({
        ...half,
        id: 23,
        title: 'Garbage collections of k6',
        description: 'Collections per second. Many small ones cost CPU that the load needs.',
        unit: 'cps',
        noValue: 'k6 was not scraped',
        lines: [{ expr: rate(`go_gc_duration_seconds_count${K6}`), legend: 'collections' }],
      }),
      timeSeries({
        ...half,
        id: 24,
        title: 'Goroutines of k6',
        description: 'Threads of execution inside k6: about two for each connection, and some of its own.',
        unit: 'short',
        noValue: 'k6 was not scraped',
        lines: [{ expr: `sum(go_goroutines${K6})`, legend: 'goroutines' }],
      }),

      row({ id: 30, title: 'Did the figures arrive?' }),
      timeSeries({
        ...half,
        id: 31,
        title: 'Pushes to Prometheus',
        description: 'Writes per second by the HTTP status that Prometheus gave them. Only 2xx were stored.',
        unit: 'cps',
        noValue: 'Prometheus does not scrape itself',
        lines: [{ expr: rate(`${WRITES}}`, 'code'), legend: '{{code}}' }],
      }),
      timeSeries({
        ...half,
        id: 32,
        title: 'Rejected samples over time',
        description: 'Samples per second that Prometheus did not take, by the reason.',
        unit: 'cps',
        noValue: 'Prometheus does not scrape itself',
        lines: Object.entries(REJECTED).map(([reason, counter]) => ({ expr: rate(counter), legend: reason })),
      }),
    ],
  });
}
