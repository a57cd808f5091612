/** Two runs on one time axis, both from their beginning, and what differs between them. */
import { dashboard, queryVariable } from './dashboard.js';
import { row, table, timeSeries } from './panels.js';
import {
  DURATION,
  FAILURES,
  ITERATIONS,
  objective,
  ofBase,
  ofServer,
  otherRuns,
  percentile,
  percentileOfRun,
  perSecond,
  REQUESTS,
  share,
  shareOfRun,
  startedAfterBase,
  total,
} from './queries.js';
import { FAILURE_STEPS } from './signal-catalogue.js';

const NO_BASE = 'No other run to compare with';

const half = { width: 12, height: 9 };

/** More than this is more than the scatter of most machines. */
const SLOWER = [
  { color: 'green', value: null },
  { color: 'text', value: -0.1 },
  { color: 'red', value: 0.1 },
];

/** @param {string} expr */
const change = (expr) => `(${expr}) / (${ofBase(expr)} != 0) - 1`;

/**
 * @param {string} expr
 * @returns {import('./panels.js').Line[]} of both runs
 */
const both = (expr) => [
  { expr, legend: '$testid', color: 'blue' },
  { expr: ofBase(expr), legend: '$base', color: 'orange', style: 'dashed' },
];

/** @param {string} by @returns {import('./panels.js').Column[]} */
const differences = (by) => {
  const p50 = percentileOfRun(0.5, DURATION, by);
  const p95 = percentileOfRun(0.95, DURATION, by);
  const p99 = percentileOfRun(0.99, DURATION, by);
  const requests = total(REQUESTS, by);
  const failed = shareOfRun(FAILURES, REQUESTS, by);
  return [
    { name: 'p50', unit: 's', expr: p50 },
    { name: 'Base p50', unit: 's', expr: ofBase(p50) },
    { name: 'p50 +/-', unit: 'percentunit', expr: change(p50), steps: SLOWER },
    { name: 'p95', unit: 's', expr: p95 },
    { name: 'Base p95', unit: 's', expr: ofBase(p95) },
    { name: 'p95 +/-', unit: 'percentunit', expr: change(p95), steps: SLOWER },
    { name: 'p99 +/-', unit: 'percentunit', expr: change(p99), steps: SLOWER },
    { name: 'Requests', unit: 'short', expr: requests },
    { name: 'Requests +/-', unit: 'percentunit', expr: change(requests) },
    { name: 'Failed', unit: 'percentunit', expr: failed },
    { name: 'Base failed', unit: 'percentunit', expr: ofBase(failed) },
  ];
};

export function compare() {
  return dashboard({
    uid: 'mcp-compare',
    title: 'Compare',
    folder: 'runs',
    description:
      'A run and a base, aligned at their starts: the time axis is that of the run. One run each shows that they ' +
      'differ, not why, and not that they would again: for that repeat both.',
    variables: [
      queryVariable({
        name: 'base',
        label: 'Base',
        description: 'What the run is compared with: first other runs of the same test, the newest first',
        query: otherRuns(),
        regex: '/testid="([^"]+)"/',
      }),
      queryVariable({
        name: 'shift',
        label: 'Shift',
        description: 'Seconds from the start of the base to the start of the run',
        query: startedAfterBase(),
        regex: '/^\\{\\} (-?\\d+)/',
        hidden: true,
      }),
    ],
    panels: [
      table({
        id: 1,
        title: 'By operation',
        description:
          'Everything that was measured since both runs began, the same time of each. +/- is the change against the ' +
          'base: green is 10% faster or more, red 10% slower or more.',
        width: 24,
        height: 9,
        noValue: NO_BASE,
        label: 'operation',
        heading: 'Operation',
        sortBy: 'p95 +/-',
        descending: true,
        columns: differences('operation'),
      }),
      table({
        id: 2,
        title: 'By phase',
        description: 'The same by phase. Phases that only one of the two runs has are no comparison.',
        width: 24,
        height: 7,
        noValue: NO_BASE,
        label: 'phase',
        heading: 'Phase',
        sortBy: 'Phase',
        columns: differences('phase'),
      }),

      row({ id: 10, title: 'What clients feel' }),
      timeSeries({
        ...half,
        id: 11,
        title: 'Throughput',
        description: 'Iterations per second that k6 completed, warm-up included.',
        unit: 'reqps',
        noValue: NO_BASE,
        lines: both(perSecond(ITERATIONS)),
      }),
      timeSeries({
        ...half,
        id: 12,
        title: 'Failure share',
        description: 'Failed requests of all requests in the last seconds.',
        unit: 'percentunit',
        noValue: NO_BASE,
        lines: both(share(FAILURES, REQUESTS)),
        steps: FAILURE_STEPS,
      }),
      timeSeries({
        ...half,
        id: 13,
        title: 'p50 latency',
        description: 'Of answered requests in the last seconds, without the warm-up, from native histograms.',
        unit: 's',
        noValue: NO_BASE,
        lines: both(percentile(0.5, DURATION)),
      }),
      timeSeries({
        ...half,
        id: 14,
        title: 'p99 latency',
        description: 'Of answered requests in the last seconds, without the warm-up, from native histograms.',
        unit: 's',
        noValue: NO_BASE,
        lines: [
          ...both(percentile(0.99, DURATION)),
          { expr: objective('p99'), legend: 'p99 objective', color: 'red', style: 'dashed' },
        ],
      }),

      row({ id: 20, title: 'What it took' }),
      ...[
        { id: 21, name: 'signal:cpu:ratio', title: 'Target CPU', unit: 'percentunit' },
        { id: 22, name: 'signal:pool_used:ratio', title: 'Pool used', unit: 'percentunit' },
        { id: 23, name: 'signal:db_transactions:rate', title: 'Database transactions', unit: 'cps' },
        { id: 24, name: 'signal:eventloop_lag:seconds', title: 'Event-loop lag', unit: 's' },
      ].map(({ id, name, title, unit }) =>
        timeSeries({
          ...half,
          id,
          title,
          description: `During either run, where both loaded the same server: ${name}.`,
          unit,
          noValue: 'Nothing exports this signal',
          lines: both(ofServer(name)),
        }),
      ),
    ],
  });
}
