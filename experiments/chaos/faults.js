/**
 * Every fault that `make chaos` knows, in the order in which they are made. A fault is data, and two functions that make
 * it and lift it.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { startHelper } from './helper.js';
import { HEAP_MB, heapPeak, workersOf } from './target.js';

/**
 * @typedef {import('./site.js').Site} Site
 * @typedef {import('./toxiproxy.js').Toxic} Toxic
 *
 * @typedef {object} Hands
 * @property {() => Promise<Record<string, string | number> | void>} inject
 * @property {() => Promise<Record<string, string | number> | void>} lift whatever `inject` came to; both say what came of it
 *
 * @typedef {object} Fault
 * @property {string} name
 * @property {string} title
 * @property {string} intensity
 * @property {'proxy' | 'lossy' | 'direct'} way how the load reaches the server: directly where nothing is done to that way
 * @property {boolean} foreign whether any server can be made to suffer it; otherwise its processes and stores must be ours
 * @property {number | null} least_success of the requests under fault; null: nothing is asked for
 * @property {number | null} most_refused of the requests under fault
 * @property {true} [brief] over by itself when `inject` ends
 * @property {(site: Site) => Hands} hands
 */

/** @type {Record<'latency' | 'reset' | 'bandwidth' | 'narrow' | 'silence', Toxic>} */
const TOXICS = {
  latency: { type: 'latency', attributes: { latency: 200, jitter: 50 } },
  reset: { type: 'reset_peer', attributes: { timeout: 0 } },
  bandwidth: { type: 'bandwidth', attributes: { rate: 5 } },
  // All of a worker's traffic to a store goes over few connections.
  narrow: { type: 'bandwidth', attributes: { rate: 50 } },
  silence: { type: 'timeout', attributes: { timeout: 0 } },
};

/** @param {string} proxy @param {Toxic} toxic @returns {Fault['hands']} */
const poison =
  (proxy, toxic) =>
  ({ toxiproxy }) => ({
    inject: () => toxiproxy.poison(proxy, toxic),
    lift: () => toxiproxy.cure(proxy, toxic),
  });

/** @param {string} proxy @returns {Fault['hands']} */
const cut =
  (proxy) =>
  ({ toxiproxy }) => ({ inject: () => toxiproxy.cut(proxy), lift: () => toxiproxy.join(proxy) });

/** Not by Toxiproxy, which would leave its port to whoever asks for Redis' password. @type {Fault['hands']} */
const cutRedis = ({ redis }) => ({ inject: async () => redis?.cut(), lift: async () => redis?.join() });

const LOSS = 0.2;

/** @type {Fault['hands']} */
const losePackets = ({ link }) => ({
  inject: async () => link?.lose(LOSS),
  lift: async () => link?.lose(0),
});

const KILL_EVERY_MS = 2000;

/** @type {Fault['hands']} */
const killWorkers = ({ target }) => {
  let kills = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const kill = () => {
    const [worker] = target ? workersOf(target.pid) : [];
    // None: they are all being started again.
    if (worker === undefined) return;
    process.kill(worker, 'SIGKILL');
    kills += 1;
  };
  return {
    inject: async () => {
      kill();
      timer = setInterval(kill, KILL_EVERY_MS);
    },
    // With a last one: what is measured from now on is how long it takes to get over it.
    lift: async () => {
      if (!timer) return;
      clearInterval(timer);
      timer = undefined;
      kill();
      return { kills };
    },
  };
};

/**
 * @param {() => Promise<() => Promise<void>>[]} start processes that are the fault
 * @returns {Hands}
 */
const helpers = (start) => {
  /** @type {Promise<() => Promise<void>>[]} */
  let running = [];
  return {
    inject: async () => {
      running = start();
      await Promise.all(running);
    },
    lift: async () => {
      const stops = await Promise.allSettled(running);
      running = [];
      await Promise.all(stops.map((stop) => stop.status === 'fulfilled' && stop.value()));
    },
  };
};

const CORES = availableParallelism();

/** @type {Fault['hands']} */
const burnCpu = () => helpers(() => Array.from({ length: CORES }, () => startHelper('burner.js')));

const NEW_CLIENTS = 300;

/** @type {Fault['hands']} */
const storm = ({ url, headers }) =>
  helpers(() => [startHelper('storm.js', { url, headers, perSecond: NEW_CLIENTS })]);

const HEAP_SHARE = 0.9;

/** @type {Fault['hands']} */
const fillHeap = ({ target }) => ({
  inject: async () => {
    if (target) writeFileSync(target.heapFile, String(HEAP_SHARE));
  },
  lift: async () => {
    const file = target?.heapFile ?? '';
    rmSync(file, { force: true });
    return { heap_peak_share: (file && heapPeak(file)) || 0 };
  },
});

/** @type {Fault['hands']} */
const restartDatabase = ({ ctl }) => ({
  inject: () => ctl('restart', 'postgres'),
  lift: () => ctl('start', 'postgres'),
});

/** @type {Fault['hands']} */
const stopRedis = ({ ctl }) => ({
  inject: () => ctl('stop', 'redis'),
  lift: () => ctl('start', 'redis'),
});

const TO_TARGET = /** @type {const} */ ({ way: 'proxy', foreign: true });
const INSIDE = /** @type {const} */ ({ way: 'direct', foreign: false });
/** Nobody is to fail, nobody is refused. */
const UNHARMED = { least_success: 0.99, most_refused: 0 };
/** What the other store has must still be served. */
const HALF = { least_success: 0.5, most_refused: 0 };
/** Nothing gets through: only the recovery can be judged. */
const NOTHING = { least_success: null, most_refused: null };

const SLOW = '200 ms ± 50 ms';
const EVERY = 'every connection';
const NARROW = '5 KB/s each';
const GONE = 'no connection';

/** @type {Fault[]} */
export const FAULTS = [
  {
    name: 'latency',
    title: 'Network latency',
    intensity: SLOW,
    ...TO_TARGET,
    ...UNHARMED,
    hands: poison('target', TOXICS.latency),
  },
  {
    name: 'reset',
    title: 'Connections reset',
    intensity: EVERY,
    ...TO_TARGET,
    ...NOTHING,
    hands: poison('target', TOXICS.reset),
  },
  {
    name: 'bandwidth',
    title: 'Bandwidth',
    intensity: NARROW,
    ...TO_TARGET,
    ...UNHARMED,
    hands: poison('target', TOXICS.bandwidth),
  },
  { name: 'cut', title: 'Network cut', intensity: GONE, ...TO_TARGET, ...NOTHING, hands: cut('target') },
  {
    name: 'silence',
    title: 'Network silent',
    intensity: 'nothing comes back',
    ...TO_TARGET,
    ...NOTHING,
    hands: poison('target', TOXICS.silence),
  },
  {
    name: 'packet-loss',
    title: 'Packet loss',
    intensity: `${LOSS * 100}% each way`,
    way: 'lossy',
    foreign: true,
    least_success: 0.992,
    most_refused: 0.01,
    hands: losePackets,
  },
  {
    name: 'database-latency',
    title: 'Database latency',
    intensity: SLOW,
    ...INSIDE,
    ...UNHARMED,
    hands: poison('database', TOXICS.latency),
  },
  {
    name: 'database-reset',
    title: 'Database reset',
    intensity: EVERY,
    ...INSIDE,
    ...HALF,
    hands: poison('database', TOXICS.reset),
  },
  {
    name: 'database-bandwidth',
    title: 'Database bandwidth',
    intensity: '50 KB/s each',
    ...INSIDE,
    ...UNHARMED,
    hands: poison('database', TOXICS.narrow),
  },
  {
    name: 'database-cut',
    title: 'Database cut off',
    intensity: GONE,
    ...INSIDE,
    ...HALF,
    hands: cut('database'),
  },
  {
    name: 'redis-latency',
    title: 'Redis latency',
    intensity: SLOW,
    ...INSIDE,
    ...UNHARMED,
    hands: poison('redis', TOXICS.latency),
  },
  {
    name: 'redis-reset',
    title: 'Redis reset',
    intensity: EVERY,
    ...INSIDE,
    ...HALF,
    hands: poison('redis', TOXICS.reset),
  },
  {
    name: 'redis-bandwidth',
    title: 'Redis bandwidth',
    intensity: '50 KB/s each',
    ...INSIDE,
    ...UNHARMED,
    hands: poison('redis', TOXICS.narrow),
  },
  { name: 'redis-cut', title: 'Redis cut off', intensity: GONE, ...INSIDE, ...HALF, hands: cutRedis },
  {
    name: 'worker-kill',
    title: 'Process kill',
    intensity: `1 worker / ${KILL_EVERY_MS / 1000} s`,
    ...INSIDE,
    least_success: 0.999,
    most_refused: 0.05,
    hands: killWorkers,
  },
  {
    name: 'database-restart',
    title: 'Database restart',
    intensity: 'once',
    ...INSIDE,
    ...HALF,
    brief: true,
    hands: restartDatabase,
  },
  { name: 'redis-gone', title: 'Redis gone', intensity: 'stopped', ...INSIDE, ...HALF, hands: stopRedis },
  {
    name: 'memory',
    title: 'Memory exhaustion',
    intensity: `${HEAP_SHARE * 100}% of ${HEAP_MB} MB`,
    ...INSIDE,
    least_success: 0.875,
    most_refused: 0.125,
    hands: fillHeap,
  },
  {
    name: 'cpu',
    title: 'CPU saturation',
    intensity: `${CORES} busy processes`,
    ...INSIDE,
    least_success: 1,
    most_refused: 0,
    hands: burnCpu,
  },
  {
    name: 'storm',
    title: 'Connection storm',
    intensity: `${NEW_CLIENTS} new clients/s`,
    way: 'direct',
    foreign: true,
    least_success: 0.998,
    most_refused: 0.002,
    hands: storm,
  },
];
