/** Which tool, resource or prompt is slow, fails, or moves most bytes. */
import { dashboard, queryVariable } from './dashboard.js';
import { heatmap, NO_RUN, percentiles, rates, ratio, row, table, timeSeries } from './panels.js';
import {
  DURATION,
  distribution,
  FAILURES,
  percentileOfRun,
  perSecond,
  REQUESTS,
  shareOfRun,
  total,
} from './queries.js';
import { FAILURE_STEPS } from './signal-catalogue.js';

const SENT = 'data_sent_total';
const RECEIVED = 'data_received_total';

/** Bytes of set-up and of the warm-up belong to no operation. */
const MEASURED = 'operation!=""';

const BY = 'operation, method';

const half = { width: 12, height: 10 };

/** @param {string} bytes @param {string} by */
const bytesEach = (bytes, by) => `${perSecond(bytes, by, MEASURED)} / (${perSecond(REQUESTS, by)} > 0)`;

/** @param {string} bytes */
const bytesEachOfRun = (bytes) => `${total(bytes, BY, MEASURED)} / ${total(REQUESTS, BY)}`;

export function operations() {
  return dashboard({
    uid: 'mcp-operations',
    title: 'Operations',
    folder: 'runs',
    description: 'One run by tool and by method: how often, how fast, how it failed, how many bytes.',
    variables: [
      queryVariable({
        name: 'operation',
        label: 'Operation',
        description: 'The operation of the second heatmap; the most frequent one comes first',
        query: `sort_desc(${total(REQUESTS, 'operation')})`,
        regex: '/operation="([^"]+)"/',
      }),
    ],
    panels: [
      table({
        id: 1,
        title: 'Operations of the run',
        description:
          'Everything that was measured since the run began, without the warm-up. Sizes are bytes on the wire with ' +
          'headers, of one request and of one answer, on average.',
        width: 24,
        height: 9,
        noValue: NO_RUN,
        label: ['operation', 'method'],
        heading: ['Operation', 'Method'],
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
          { name: 'Request', unit: 'bytes', expr: bytesEachOfRun(SENT) },
          { name: 'Answer', unit: 'bytes', expr: bytesEachOfRun(RECEIVED) },
        ],
      }),

      row({ id: 10, title: 'By operation' }),
      rates({
        ...half,
        id: 11,
        title: 'Rate by operation',
        description: 'Requests per second.',
        metric: REQUESTS,
        by: 'operation',
      }),
      percentiles({
        ...half,
        id: 12,
        title: 'p95 by operation',
        metric: DURATION,
        by: 'operation',
        quantiles: [0.95],
        logarithmic: true,
      }),
      ratio({
        ...half,
        id: 13,
        title: 'Failure share by operation',
        description: 'Failed requests of all requests in the last seconds.',
        part: FAILURES,
        whole: REQUESTS,
        by: 'operation',
        steps: FAILURE_STEPS,
      }),
      timeSeries({
        ...half,
        id: 14,
        title: 'Failures by operation and kind',
        description: 'Failed requests per second.',
        unit: 'reqps',
        noValue: 'No failures',
        stacked: true,
        lines: [{ expr: perSecond(FAILURES, 'operation, kind'), legend: '{{operation}} {{kind}}' }],
      }),
      timeSeries({
        ...half,
        id: 15,
        title: 'Size of a request by operation',
        description: 'Bytes on the wire with headers, of one request, on average over the last seconds.',
        unit: 'bytes',
        noValue: NO_RUN,
        lines: [{ expr: bytesEach(SENT, 'operation'), legend: '{{operation}}' }],
      }),
      timeSeries({
        ...half,
        id: 16,
        title: 'Size of an answer by operation',
        description: 'Bytes on the wire with headers, of one answer, on average over the last seconds.',
        unit: 'bytes',
        noValue: NO_RUN,
        lines: [{ expr: bytesEach(RECEIVED, 'operation'), legend: '{{operation}}' }],
      }),

      row({ id: 20, title: 'By method' }),
      rates({
        ...half,
        id: 21,
        title: 'Rate by method',
        description:
          'Requests per second by MCP method: tools/call, resources/read, prompts/get and the others.',
        metric: REQUESTS,
        by: 'method',
      }),
      percentiles({
        ...half,
        id: 22,
        title: 'p95 by method',
        metric: DURATION,
        by: 'method',
        quantiles: [0.95],
        logarithmic: true,
      }),

      row({ id: 30, title: 'Distribution' }),
      heatmap({
        ...half,
        id: 31,
        title: 'Latency of all operations',
        description:
          'How many answers per second took how long: the brighter, the more. Two bands are two kinds of answer, a ' +
          'cache hit and a miss for example; a percentile hides that.',
        unit: 's',
        noValue: NO_RUN,
        logarithmic: true,
        expr: distribution(DURATION),
      }),
      heatmap({
        ...half,
        id: 32,
        title: 'Latency of $operation',
        description: 'The same of the chosen operation alone.',
        unit: 's',
        noValue: NO_RUN,
        logarithmic: true,
        expr: distribution(DURATION, 'operation="$operation"'),
      }),
      percentiles({
        id: 33,
        title: 'Percentiles of $operation',
        metric: DURATION,
        where: 'operation="$operation"',
        width: 24,
      }),
    ],
  });
}
