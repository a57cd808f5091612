/**
 * The metrics of a comparison. Each run contributes a single value per metric: requests of the same run are
 * correlated, so a thousand requests are not a thousand independent measurements.
 */

import type { Latency } from '../collect/sparse-histogram.ts';
import type { Finding } from '../findings/finding.ts';
import { callsOf } from '../judge/phases.ts';

export interface Metric {
  name: string;
  title: string;
  /** Unit of the values: rate, milliseconds, seconds, bytes, ratio. */
  unit: string;
  better: 'more' | 'less';
  /** Whether values are compared by their ratio or by their difference. */
  scale: 'ratio' | 'difference';
  /** Smallest relevant change: 0.1 is 10 % (for a `difference`: 0.1 in the metric's unit). */
  least: number;
  /** Smaller values are not distinguished: they count as this value. */
  floor?: number;
  of: ('run' | 'phase' | 'operation')[];
  /** null if the run does not have the metric. */
  read: (figures: Figures) => number | null | undefined;
}

/** Figures of a phase, an operation or a run, as far as they exist. */
export interface Figures {
  calls?: number | null;
  answered?: number | null;
  duration_s?: number;
  failure_rate?: number | null;
  latency_ms?: Latency | null;
  /** Mean of a signal in this phase. */
  mean?: (signal: string) => number | null;
  findings?: Finding[];
}

const MEBIBYTE = 1024 ** 2;

/** @param needed minimum number of calls for this percentile */
const latency = (name: 'p50' | 'p95' | 'p99', needed: number): Metric => ({
  name,
  title: name,
  unit: 'milliseconds',
  better: 'less',
  scale: 'ratio',
  least: 0.1,
  of: ['phase', 'operation'],
  read: (figures) => (callsOf(figures) < needed ? null : figures.latency_ms?.[name]),
});

export const METRICS: readonly Metric[] = [
  {
    name: 'throughput',
    title: 'throughput',
    unit: 'rate',
    better: 'more',
    scale: 'ratio',
    least: 0.02,
    of: ['phase'],
    read: ({ answered, duration_s }) => (answered && duration_s ? answered / duration_s : null),
  },
  latency('p50', 1),
  latency('p95', 20),
  latency('p99', 100),
  {
    name: 'failure_rate',
    title: 'failed',
    unit: 'ratio',
    better: 'less',
    scale: 'difference',
    // The tests' own objectives allow a server this failure rate without overload.
    least: 0.001,
    of: ['phase', 'operation'],
    read: ({ failure_rate }) => failure_rate,
  },
  {
    // Both sides run the same plan with the same number of connections, so a change is a change in memory per
    // connection.
    name: 'memory',
    title: 'memory',
    unit: 'bytes',
    better: 'less',
    scale: 'ratio',
    least: 0.1,
    of: ['phase'],
    read: ({ mean }) => mean?.('memory'),
  },
  {
    name: 'memory_per_connection',
    title: 'memory per connection',
    unit: 'bytes',
    better: 'less',
    scale: 'ratio',
    least: 0.1,
    floor: 1,
    of: ['run'],
    read: ({ findings }) => {
      const mebibytes = findings?.find(({ subject }) => subject === 'connections')?.figures
        .memory_mib_per_conn;
      return mebibytes == null ? null : mebibytes * MEBIBYTE;
    },
  },
  {
    name: 'gc',
    title: 'gc',
    unit: 'ratio',
    better: 'less',
    scale: 'ratio',
    least: 0.2,
    floor: 0.01,
    of: ['phase'],
    read: ({ mean }) => mean?.('gc'),
  },
  {
    name: 'eventloop_lag',
    title: 'event-loop lag',
    unit: 'seconds',
    better: 'less',
    scale: 'ratio',
    least: 0.2,
    floor: 0.001,
    of: ['phase'],
    read: ({ mean }) => mean?.('eventloop_lag'),
  },
];

/** Replaces values that have no logarithm. */
const NEXT_TO_NOTHING = 1e-9;

/** @returns the value on the scale on which shifts are additive: its logarithm if ratios are compared */
export function onScale({ scale, floor = NEXT_TO_NOTHING }: Metric, value: number): number {
  return scale === 'ratio' ? Math.log(Math.max(value, floor)) : value;
}

/** @param shift on the scale of `onScale` @returns the change for a reader: 0.1 is 10 % more, or 0.1 more */
export const asChange = ({ scale }: Metric, shift: number): number =>
  scale === 'ratio' ? Math.expm1(shift) : shift;

/** @returns the smallest relevant change on the scale of `onScale` */
export const leastShift = ({ scale, least }: Metric): number =>
  scale === 'ratio' ? Math.log1p(least) : least;
