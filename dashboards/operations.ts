/** Latency and failures by tool, resource and prompt. */
import { dashboard } from './dashboard.ts';
import { heatmap, row, table, timeSeries } from './panels.ts';
import {
  DURATION,
  distribution,
  FAILURES,
  percentile,
  percentileOfRun,
  perSecond,
  REQUESTS,
  share,
  shareOfRun,
  total,
} from './queries.ts';
import { FAILURE_STEPS } from './signals.ts';

const BY = 'operation, method';
const half = { width: 12, height: 10 };
const chosen = 'operation="$operation"';

export const operations = () =>
  dashboard({
    uid: 'mcp-operations',
    title: 'Operations',
    description: 'Rate, latency and failures of a run by operation.',
    variables: [
      {
        name: 'operation',
        label: 'Operation',
        description: 'The operation in the last row. The most frequent operation comes first',
        query: `sort_desc(${total(REQUESTS, 'operation')})`,
        regex: '/operation="([^"]+)"/',
      },
    ],
    panels: [
      table({
        width: 24,
        height: 9,
        title: 'Operations of the run',
        description: 'All requests since the start of the run, without the warm-up.',
        labels: { operation: 'Operation', method: 'Method' },
        sortBy: 'p99',
        descending: true,
        columns: [
          { name: 'Requests', unit: 'short', expr: total(REQUESTS, BY) },
          {
            name: 'Failed',
            unit: 'percentunit',
            expr: shareOfRun(FAILURES, REQUESTS, BY),
            steps: FAILURE_STEPS,
          },
          { name: 'p50', unit: 's', expr: percentileOfRun(0.5, DURATION, BY) },
          { name: 'p95', unit: 's', expr: percentileOfRun(0.95, DURATION, BY) },
          { name: 'p99', unit: 's', expr: percentileOfRun(0.99, DURATION, BY) },
        ],
      }),
      timeSeries({
        ...half,
        title: 'Request rate',
        description: 'Requests per second by operation.',
        unit: 'reqps',
        lines: [{ expr: perSecond(REQUESTS, 'operation'), legend: '{{operation}}' }],
      }),
      timeSeries({
        ...half,
        title: 'p99',
        description: '99th percentile of the latency of all calls, by operation.',
        unit: 's',
        logarithmic: true,
        lines: [{ expr: percentile(0.99, DURATION, 'operation'), legend: '{{operation}}' }],
      }),
      timeSeries({
        ...half,
        title: 'Failure rate',
        description: 'Failed requests by operation, as a share of its requests.',
        unit: 'percentunit',
        lines: [{ expr: share(FAILURES, REQUESTS, 'operation'), legend: '{{operation}}' }],
        steps: FAILURE_STEPS,
      }),
      timeSeries({
        ...half,
        title: 'Failures by operation and kind',
        description: 'Failed requests per second.',
        unit: 'reqps',
        noValue: 'No failures',
        stacked: true,
        lines: [{ expr: perSecond(FAILURES, 'operation, kind'), legend: '{{operation}} {{kind}}' }],
      }),

      row('One operation'),
      heatmap({
        ...half,
        title: 'Latency distribution of $operation',
        description:
          'Calls per second by latency. Two bands indicate two kinds of answers, such as cache hits and misses.',
        unit: 's',
        expr: distribution(DURATION, chosen),
      }),
      timeSeries({
        ...half,
        title: 'Latency of $operation',
        description: 'Percentiles of the latency of all calls.',
        unit: 's',
        logarithmic: true,
        lines: [
          { expr: percentile(0.5, DURATION, '', chosen), legend: 'p50', color: 'green' },
          { expr: percentile(0.95, DURATION, '', chosen), legend: 'p95', color: 'orange' },
          { expr: percentile(0.99, DURATION, '', chosen), legend: 'p99', color: 'red' },
        ],
      }),
    ],
  });
