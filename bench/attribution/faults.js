/**
 * Faults whose effect is known, for attribution to find: which resource each is the truth of, how large it is at least and at
 * most, and how it is made. Those of the reference target are its own (target/faults/table.js).
 */
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const file = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * @typedef {object} Fault
 * @property {string | null} truth the resource that has to be named; null: none may be
 * @property {[least: number, most: number]} [size] drawn anew for each run, so that the rules do not fit one of them
 * @property {true} [whole] only whole sizes
 * @property {string} [target] the target's fault of that size
 * @property {'burners' | 'generator' | 'network'} [outside] or what is done beside it
 * @property {Record<string, number>} [standing] faults of the target that are on from the beginning: what is normal here
 * @property {string} [workload]
 * @property {true} [invalid] a run with it must be declared invalid
 * @property {string} about
 */

/** @type {Record<string, Fault>} */
export const FAULTS = {
  none: { truth: null, about: 'nothing at all' },
  cpu_burn: { truth: 'target_cpu', target: 'cpu_burn_ms', size: [15, 40], about: 'ms of CPU a call' },
  pool_size: {
    truth: 'pool',
    target: 'pool_size',
    size: [1, 2],
    whole: true,
    standing: { slow_statement_ms: 10 },
    about: 'connections a worker, where a statement takes 10 ms',
  },
  pool_leak: {
    truth: 'pool',
    target: 'pool_leak_per_minute',
    size: [500, 1500],
    about: 'connections lost a minute',
  },
  slow_statement: {
    truth: 'database',
    target: 'slow_statement_ms',
    size: [40, 150],
    about: 'ms a statement',
  },
  lock: {
    truth: 'database',
    target: 'lock_hold_ms',
    size: [15, 60],
    about: 'ms that each call holds one row',
  },
  cache_off: {
    truth: 'cache',
    target: 'cache_off',
    size: [1, 1],
    standing: { slow_statement_ms: 100 },
    workload: file('cache-workload.js'),
    about: 'where a statement takes 100 ms',
  },
  cache_delay: {
    truth: 'cache',
    target: 'cache_delay_ms',
    size: [6, 20],
    about: "ms of Redis' thread a command",
  },
  upstream: {
    truth: 'upstream',
    target: 'upstream_delay_ms',
    size: [800, 4000],
    workload: file('upstream-workload.js'),
    about: 'ms later',
  },
  rate_limit: {
    truth: 'rate_limiter',
    target: 'rate_limit_rps',
    size: [30, 90],
    whole: true,
    about: 'requests a second',
  },
  memory_leak: {
    truth: null,
    target: 'memory_leak_mb_per_minute',
    size: [200, 600],
    about: 'MB a minute, which the leak findings have to name: it slows nothing down',
  },
  gc_pressure: { truth: 'memory_gc', target: 'gc_pressure_mb', size: [3, 8], about: 'MB allocated a call' },
  host_cpu: {
    truth: 'host_cpu',
    outside: 'burners',
    size: [cpus().length, 2 * cpus().length],
    whole: true,
    about: 'other processes that never wait, each in a session of its own',
  },
  generator: {
    truth: 'generator',
    outside: 'generator',
    size: [0.05, 0.15],
    invalid: true,
    about: 'of each 100 ms in which k6 may run',
  },
  network: { truth: 'network', outside: 'network', size: [60, 250], about: 'ms on the way back' },
};
