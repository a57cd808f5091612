/** Compares two runs on a common time axis that starts at the beginning of each. */
import { dashboard } from './dashboard.ts';
import { type Column, type Line, NOT_EXPORTED, row, table, timeSeries } from './panels.ts';
import {
  DURATION,
  duringRun,
  FAILURES,
  ITERATIONS,
  objective,
  ofBase,
  otherRuns,
  percentile,
  percentileOfRun,
  perSecond,
  REQUESTS,
  share,
  shareOfRun,
  startedAfterBase,
  total,
} from './queries.ts';
import { drawnSignal, FAILURE_STEPS, type Step } from './signals.ts';

const NO_BASE = 'No other run to compare with';
const half = { width: 12, height: 9, noValue: NO_BASE };
/** Steps for a multiple of the base's value, wider than the scatter on most machines. */
const VS_BASE_STEPS: Step[] = [
  { color: 'green', value: null },
  { color: 'text', value: 0.9 },
  { color: 'red', value: 1.1 },
];

const both = (expr: string): Line[] => [
  { expr, legend: '$testid', color: 'blue' },
  { expr: ofBase(expr), legend: '$base', color: 'orange', dashed: true },
];

const pair = (name: string, unit: string, expr: string, steps?: Step[]): Column[] => [
  { name, unit, expr, ...(steps && { steps }) },
  { name: `Base ${name.toLowerCase()}`, unit, expr: ofBase(expr), ...(steps && { steps }) },
];

function columns(by: string): Column[] {
  const percentiles = [0.5, 0.95, 0.99].flatMap((quantile) => {
    const [name, expr] = [`p${quantile * 100}`, percentileOfRun(quantile, DURATION, by)];
    return [
      { name, unit: 's', expr },
      { name: `Base ${name}`, unit: 's', expr: ofBase(expr) },
      { name: `${name} vs base`, unit: 'short', expr: `(${expr}) / ${ofBase(expr)}`, steps: VS_BASE_STEPS },
    ];
  });
  return [
    ...pair('Requests', 'short', total(REQUESTS, by)),
    ...percentiles,
    ...pair('Failed', 'percentunit', shareOfRun(FAILURES, REQUESTS, by), FAILURE_STEPS),
  ];
}

const compared = (by: string, heading: string) =>
  table({
    width: 24,
    height: 8,
    noValue: NO_BASE,
    title: `By ${by}`,
    description:
      'All requests since the start of both runs. Latencies are only comparable if both runs had the same load (compare the requests). Green: at least 10% faster than the base; red: at least 10% slower.',
    labels: { [by]: heading },
    sortBy: heading,
    columns: columns(by),
  });

export const compare = () =>
  dashboard({
    uid: 'mcp-compare',
    title: 'Compare',
    description:
      'A run and a base, aligned at their starts. A single run per side cannot show whether a difference is chance: repeat both.',
    variables: [
      {
        name: 'base',
        label: 'Base',
        description: 'The run to compare with. Runs of the same test come first, the newest first',
        query: otherRuns(),
        regex: '/testid="([^"]+)"/',
      },
      {
        name: 'shift',
        label: 'Shift',
        description: 'Seconds from the start of the base to the start of the run',
        query: startedAfterBase(),
        regex: '/^\\{\\} (-?\\d+)/',
        hidden: true,
      },
    ],
    panels: [
      compared('phase', 'Phase'),
      compared('operation', 'Operation'),
      row('Over time'),
      timeSeries({
        ...half,
        title: 'Throughput',
        description: 'Iterations per second, including the warm-up.',
        unit: 'reqps',
        lines: both(perSecond(ITERATIONS)),
      }),
      timeSeries({
        ...half,
        title: 'Failure rate',
        description: 'Failed requests, as a share of all requests.',
        unit: 'percentunit',
        lines: both(share(FAILURES, REQUESTS)),
        steps: FAILURE_STEPS,
      }),
      timeSeries({
        ...half,
        title: 'p50',
        description: 'Median latency of all calls.',
        unit: 's',
        lines: both(percentile(0.5, DURATION)),
      }),
      timeSeries({
        ...half,
        title: 'p99',
        description: '99th percentile of the latency of all calls. Red: the limit of the running phase.',
        unit: 's',
        lines: [
          ...both(percentile(0.99, DURATION)),
          { expr: objective('p99'), legend: 'p99 limit', color: 'red', dashed: true },
        ],
      }),
      ...['cpu:ratio', 'pool_utilization:ratio'].map((name) => {
        const { title, description, unit } = drawnSignal(name);
        return timeSeries({
          ...half,
          title,
          description,
          unit,
          noValue: NOT_EXPORTED,
          lines: both(duringRun(`signal:${name}`)),
        });
      }),
    ],
  });
