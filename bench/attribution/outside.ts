/**
 * Third-party servers that export no metrics. The limit of each is known, and the findings have only the operating
 * system's data about its processes. Most limits exist from the start, and the spike reaches them.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LAG_S } from '../../analysis/collect/signals.ts';
import { startGo } from '../../tests/servers/go.js';
import { type Mix, shopWorkload, startBehind, startShop } from '../../tests/servers/shop.ts';
import type { Fault as AttributionFault, Started, Truth } from '../attribution.js';
import type { LabStack } from '../lab-stack.js';
import { type Limits, limited } from './limits.ts';
import { startNarrowDoor } from './narrow-door.ts';

interface Fault extends AttributionFault {
  /**
   * Calls of tests/servers/python/shop.py. Without it, the load goes to the Go server with the calls that discovery
   * finds.
   */
  mix?: (size: number) => Mix;
  limits?: (size: number) => Limits;
  restarts?: true;
  env?: (size: number) => Record<string, string>;
  /** The dependency whose responses are delayed from the spike on; the size is in ms. */
  slow?: 'database' | 'cache' | 'upstream';
  /** Puts HAProxy in front of the server; every call uses a new connection. */
  door?: (size: number) => { connections: number; backlog: number };
}

/** Calls of all the server's operations, each cheap. */
const SHOP: Mix = {
  echo: [40, { text: 'a' }],
  price: [20, { ms: 0.2 }],
  order: [20, { ms: 1 }],
  stock: [10, { key: 'a' }],
  weather: [10, { city: 'Oslo' }],
};

export const FAULTS: Record<string, Fault> = {
  none: { truth: null, mix: () => SHOP, about: 'nothing at all' },
  none_go: { truth: null, about: 'nothing at all, on the Go SDK' },
  single_thread: {
    truth: 'target_cpu (single thread)',
    size: [12, 25],
    mix: (ms) => ({ price: [100, { ms }] }),
    about: 'ms that each call computes',
  },
  interpreter_lock: {
    truth: 'target_cpu (interpreter lock)',
    size: [12, 25],
    mix: (ms) => ({ render: [100, { ms }] }),
    about: 'ms that each call computes in one of 40 threads',
  },
  workers: {
    truth: 'concurrency',
    size: [150, 250],
    mix: (ms) => ({ convert: [100, { ms }] }),
    about: 'ms that each call has one of ten workers',
  },
  lock: {
    truth: 'concurrency',
    size: [15, 30],
    mix: (ms) => ({ book: [100, { ms }] }),
    about: 'ms that each call holds the only lock',
  },
  database_cpu: {
    truth: 'database (CPU)',
    size: [150_000, 300_000],
    whole: true,
    mix: (rows) => ({ audit: [100, { rows }] }),
    env: () => ({ POOL_SIZE: '20' }),
    about: 'rows that each statement computes on',
  },
  blocking_tool: {
    truth: 'server_thread (blocking tool)',
    size: [60, 120],
    mix: (ms) => ({ ...SHOP, report: [20, { ms }] }),
    about: 'ms that every sixth call blocks the thread',
  },
  pool: {
    truth: 'pool (observed externally)',
    size: [50, 90],
    mix: (ms) => ({ ...SHOP, order: [80, { ms }] }),
    env: () => ({ POOL_SIZE: '2' }),
    about: 'ms that each of two connections is in use',
  },
  memory_limit: {
    truth: 'memory_gc (limit)',
    size: [100, 130],
    whole: true,
    mix: (kb) => ({ ...SHOP, remember: [100, { kb }] }),
    limits: () => ({ memoryBytes: 150 * 1024 * 1024 }),
    restarts: true,
    about: 'KiB that half of the calls leave behind, of 150 MiB',
  },
  file_limit: {
    truth: 'open_files (limit)',
    size: [70, 110],
    whole: true,
    mix: () => ({ ...SHOP, price: [50, { ms: 4 }] }),
    limits: (openFiles) => ({ openFiles }),
    about: 'open files',
  },
  accept_queue: {
    truth: 'accept_queue (overflows)',
    size: [2, 8],
    whole: true,
    mix: () => ({ order: [100, { ms: 40 }] }),
    env: () => ({ POOL_SIZE: '20' }),
    door: (backlog) => ({ connections: 2, backlog }),
    about: 'connections of backlog at a proxy that serves two at a time, and a connection for each call',
  },
  cpu_quota: {
    truth: 'target_cpu (CPU quota)',
    size: [0.15, 0.25],
    mix: () => ({ ...SHOP, price: [100, { ms: 2 }] }),
    limits: (cores) => ({ cores }),
    about: 'cores',
  },
  slow_database: {
    truth: 'database (slow statements)',
    size: [150, 400],
    mix: () => ({ ...SHOP, order: [80, { ms: 1 }] }),
    env: () => ({ POOL_SIZE: '20' }),
    slow: 'database',
    about: 'ms later',
  },
  slow_cache: {
    truth: 'cache (slow)',
    size: [100, 300],
    mix: () => ({ ...SHOP, stock: [80, { key: 'a' }] }),
    slow: 'cache',
    about: 'ms later',
  },
  slow_upstream: {
    truth: 'upstream (slow)',
    size: [500, 1500],
    mix: () => ({ ...SHOP, weather: [40, { city: 'Oslo' }] }),
    slow: 'upstream',
    about: 'ms later',
  },
  leak: {
    truth: null,
    size: [20, 40],
    whole: true,
    mix: (kb) => ({ ...SHOP, remember: [20, { kb }] }),
    about: 'KiB that every sixth call leaves behind: it slows nothing down',
  },
};

export const MIN_RIGHT = 0.8;
export const WRONG_ALLOWED = false;

/** Starts the server and its dependencies; the functions in `undo` stop them. */
export async function start(
  lab: LabStack,
  { fault: name, size }: Truth,
  folder: string,
  undo: (() => unknown)[],
): Promise<Started> {
  const fault = FAULTS[name];
  if (!fault) throw new Error(name);
  const { mix, limits, restarts, env, slow, door } = fault;
  const amount = size ?? 0;
  let begin: Started['begin'] = async () => {};
  const variables: Record<string, string> = {};
  if (mix) {
    const behind = await startBehind({ ports: lab.stackEnv, passwords: lab.secrets, undo });
    if (slow) {
      const latency = { type: 'latency' as const, attributes: { latency: Math.round(amount) } };
      begin = () => behind.toxiproxy.addToxic(slow, latency);
    }
    const held = limits && limited(limits(amount), { restarts });
    if (held) undo.push(held.remove);
    const server = await startShop({ ...behind.env, ...env?.(amount) }, held?.words);
    undo.push(() => server.stop());
    variables.TARGET_URL = server.url;
    if (door) {
      const narrow = await startNarrowDoor(new URL(server.url), door(amount));
      undo.push(() => narrow.stop());
      Object.assign(variables, { TARGET_URL: narrow.url, K6_NO_CONNECTION_REUSE: 'true' });
    }
    variables.WORKLOAD = join(folder, 'workload.json');
    writeFileSync(variables.WORKLOAD, JSON.stringify(shopWorkload(mix(amount))));
  } else {
    const server = await startGo();
    undo.push(() => server.stop());
    variables.TARGET_URL = server.url;
  }
  return { variables, begin, untilS: LAG_S + 2 };
}
