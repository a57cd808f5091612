/**
 * What two sides are compared by. One run gives one number of each: requests of one run resemble one another, so that a
 * thousand of them are no thousand independent measurements.
 */
import { callsOf } from '../phases.js';

/**
 * @typedef {object} Metric
 * @property {string} name
 * @property {string} title
 * @property {string} unit of its values: rate, milliseconds, seconds, bytes, ratio
 * @property {'more' | 'less'} better
 * @property {'ratio' | 'difference'} scale how two values are compared: by what share, or by how much
 * @property {number} least the smallest change that counts: 0.1 is 10 % (of a `difference`: 0.1 in the metric's unit)
 * @property {number} [floor] below it a value is as good as it gets, and stands for this
 * @property {('run' | 'phase' | 'operation')[]} of
 * @property {(figures: Figures) => number | null | undefined} read null: the run does not have it
 *
 * @typedef {object} Figures of a phase, an operation or a run: what it has of these
 * @property {number | null} [calls]
 * @property {number | null} [answered]
 * @property {number} [duration_s]
 * @property {number | null} [error_rate]
 * @property {import('../summary.js').Latency | null} [latency_ms]
 * @property {(signal: string) => number | null} [mean] of a signal in this phase
 * @property {import('../findings.js').Finding[]} [findings]
 */

const MEBIBYTE = 1024 ** 2;

/**
 * @param {'p50' | 'p95' | 'p99'} name
 * @param {number} needed calls: fewer make no such percentile
 * @returns {Metric}
 */
const latency = (name, needed) => ({
  name,
  title: name,
  unit: 'milliseconds',
  better: 'less',
  scale: 'ratio',
  least: 0.1,
  of: ['phase', 'operation'],
  read: (figures) => (callsOf(figures) < needed ? null : figures.latency_ms?.[name]),
});

/** @type {readonly Metric[]} */
export const METRICS = [
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

/**
 * @param {Metric} metric
 * @param {number} value
 * @returns {number} on the scale on which shifts are added up: logarithms, where shares count
 */
export function onScale({ scale, floor = NEXT_TO_NOTHING }, value) {
  return scale === 'ratio' ? Math.log(Math.max(value, floor)) : value;
}

/**
 * @param {Metric} metric
 * @param {number} shift on the scale of `onScale`
 * @returns {number} as a reader has it: 0.1 is 10 % more, or by 0.1 more
 */
export const asChange = ({ scale }, shift) => (scale === 'ratio' ? Math.expm1(shift) : shift);

/** @param {Metric} metric @returns {number} the smallest change that counts, on the scale of `onScale` */
export const leastShift = ({ scale, least }) => (scale === 'ratio' ? Math.log1p(least) : least);
