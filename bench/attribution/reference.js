/**
 * Faults of the reference target (target/faults/table.js) and of its environment: how each fault is injected, and the
 * bottleneck that it must cause.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolPath } from '../../cli/tool-path.ts';
import { startToxiproxy } from '../../scenarios/chaos/toxiproxy.ts';
import { burn, starve } from './disturb.js';

const file = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * @typedef {import('../attribution.js').Fault & Made} Fault
 *
 * @typedef {object} Made
 * @property {string} [target] name of the target's fault, made with that size
 * @property {'burners' | 'generator' | 'network'} [outside] a disturbance outside the target instead
 * @property {Record<string, number>} [standing] faults of the target that are active from the start, as its normal
 * state
 * @property {string} [workload]
 */

export const MIN_RIGHT = 0.95;
export const WRONG_ALLOWED = true;

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

/**
 * @param {import('../lab-stack.js').LabStack} lab
 * @param {import('../attribution.js').Truth} made
 * @param {string} folder
 * @param {(() => unknown)[]} undo receives the functions that stop what was started
 * @returns {Promise<import('../attribution.js').Started>}
 */
export async function start(lab, { fault: name, size }, folder, undo) {
  const { target, outside, standing = {}, workload } = /** @type {Fault} */ (FAULTS[name]);
  const amount = size ?? 0;
  /** @type {Record<string, string>} */
  const variables = workload ? { WORKLOAD: workload } : {};
  /** @type {import('../attribution.js').Started['begin']} */
  let begin = async () => target && lab.faults({ ...standing, [target]: amount });
  if (outside === 'burners') begin = async () => undo.push(await burn(amount, { apart: true }));
  if (outside === 'generator') begin = async (pid) => undo.push(await starve(pid(), amount));
  if (outside === 'network') {
    const toxiproxy = await startToxiproxy(toolPath('toxiproxy'));
    undo.push(() => toxiproxy.stop());
    const { host } = new URL(lab.stackEnv.TARGET_URL ?? '');
    const port = await toxiproxy.proxy('target', host);
    Object.assign(variables, loadThrough(port, lab, folder, undo));
    const toxic = {
      type: /** @type {const} */ ('latency'),
      attributes: { latency: Math.round(amount), jitter: Math.round(amount / 4) },
    };
    begin = async () => toxiproxy.addToxic('target', toxic);
  }
  await lab.faults(standing);
  undo.push(() => lab.faults({}));
  return { variables, begin };
}

/**
 * @param {number} port local port at which k6 reaches the target; the stack still treats the target as its own
 * @param {import('../lab-stack.js').LabStack} lab
 * @param {string} folder
 * @param {(() => unknown)[]} undo
 * @returns {Record<string, string>} variables of the run
 */
export function loadThrough(port, lab, folder, undo) {
  const bin = join(folder, 'bin');
  undo.push(() => rmSync(bin, { recursive: true, force: true }));
  mkdirSync(bin, { recursive: true });
  cpSync(file('k6-through-proxy'), join(bin, 'k6'));
  return {
    BENCH_PROXY_URL: Object.assign(new URL(lab.stackEnv.TARGET_URL ?? ''), { port: String(port) }).href,
    BENCH_K6: toolPath('k6'),
    PATH: `${bin}:${process.env.PATH}`,
  };
}
