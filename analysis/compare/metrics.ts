/**
 * What two sides are compared by. One run gives one number of each: requests of one run resemble one another, so that a
 * thousand of them are no thousand independent measurements.
 */

import type { Latency } from '../collect/sparse-histogram.ts';
import type { Finding } from '../findings/finding.ts';
import { callsOf } from '../judge/phases.ts';

export interface Metric {
  name: string;
  title: string;
  /** Of its values: rate, milliseconds, seconds, bytes, ratio. */
  unit: string;
  better: 'more' | 'less';
  /** How two values are compared: by what share, or by how much. */
  scale: 'ratio' | 'difference';
  /** The smallest change that counts: 0.1 is 10 % (of a `difference`: 0.1 in the metric's unit). */
  least: number;
  /** Below it a value is as good as it gets, and stands for this. */
  floor?: number;
  of: ('run' | 'phase' | 'operation')[];
  /** null: the run does not have it. */
  read: (figures: Figures) => number | null | undefined;
}

/** Of a phase, an operation or a run: what it has of these. */
export interface Figures {
  calls?: number | null;
  answered?: number | null;
  duration_s?: number;
  error_rate?: number | null;
  latency_ms?: Latency | null;
  /** Of a signal in this phase. */
  mean?: (signal: string) => number | null;
  findings?: Finding[];
}

const MEBIBYTE = 1024 ** 2;

/** @param needed calls: fewer make no such percentile */
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
    name: 'failure_share',
    title: 'failed',
    unit: 'ratio',
    better: 'less',
    scale: 'difference',
    // What the tests' own objectives allow a calm server.
    least: 0.001,
    of: ['phase', 'operation'],
    read: ({ error_rate }) => error_rate,
  },
  {
    // Both sides run the same plan, so they hold as many connections: it changes as the memory of a connection does.
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

/** A value that has no logarithm stands for one that is as good as none. */
const NEXT_TO_NOTHING = 1e-9;

/** @returns on the scale on which shifts are added up: logarithms, where shares count */
export function onScale({ scale, floor = NEXT_TO_NOTHING }: Metric, value: number): number {
  return scale === 'ratio' ? Math.log(Math.max(value, floor)) : value;
}

/** @param shift on the scale of `onScale` @returns as a reader has it: 0.1 is 10 % more, or by 0.1 more */
export const asChange = ({ scale }: Metric, shift: number): number =>
  scale === 'ratio' ? Math.expm1(shift) : shift;

/** @returns the smallest change that counts, on the scale of `onScale` */
export const leastShift = ({ scale, least }: Metric): number =>
  scale === 'ratio' ? Math.log1p(least) : least;
