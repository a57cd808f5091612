/** The faults of `make chaos`, in the order in which they are injected. */
import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { startHelper } from './helper.ts';
import type { Site, Way } from './site.ts';
import { HEAP_MB, heapPeak, workersOf } from './target.ts';
import type { Toxic } from './toxiproxy.ts';

/** Values that a fault reports, by name. */
// biome-ignore lint/suspicious/noConfusingVoidType: most faults report nothing
export type Outcome = Record<string, string | number> | void;

export interface FaultHandle {
  inject: () => Promise<Outcome>;
  /** Works even if `inject` failed or was not called. */
  remove: () => Promise<Outcome>;
}

export interface Fault {
  name: string;
  title: string;
  intensity: string;
  /** The network path of the load; `direct` if the fault does not affect that path. */
  way: Way;
  /** Works with any server; otherwise it needs the reference target's own processes and stores. */
  foreign: boolean;
  /** Minimum share of the requests during the fault that succeed; null: no objective. */
  least_success: number | null;
  /** Maximum share of the requests during the fault that are refused; null: no objective. */
  most_refused: number | null;
  /** The fault is over as soon as `inject` ends. */
  brief?: true;
  handle: (site: Site) => FaultHandle;
}

const TOXICS = {
  latency: { type: 'latency', attributes: { latency: 200, jitter: 50 } },
  reset: { type: 'reset_peer', attributes: { timeout: 0 } },
  bandwidth: { type: 'bandwidth', attributes: { rate: 5 } },
  // A worker's traffic to a store shares a few connections.
  narrow: { type: 'bandwidth', attributes: { rate: 50 } },
  silence: { type: 'timeout', attributes: { timeout: 0 } },
} satisfies Record<string, Toxic>;

const toxicHandle =
  (proxy: string, toxic: Toxic): Fault['handle'] =>
  ({ toxiproxy }) => ({
    inject: () => toxiproxy.addToxic(proxy, toxic),
    remove: () => toxiproxy.removeToxic(proxy, toxic),
  });

const cut =
  (proxy: string): Fault['handle'] =>
  ({ toxiproxy }) => ({ inject: () => toxiproxy.cut(proxy), remove: () => toxiproxy.join(proxy) });

/**
 * Does not use Toxiproxy, which would release its port: another process could take it and receive Redis'
 * password.
 */
const cutRedis: Fault['handle'] = ({ target }) => ({
  inject: async () => target?.redis.cut(),
  remove: async () => target?.redis.join(),
});

const LOSS = 0.2;

const losePackets: Fault['handle'] = ({ link }) => ({
  inject: async () => link?.lose(LOSS),
  remove: async () => link?.lose(0),
});

const KILL_EVERY_MS = 2000;

const killWorkers: Fault['handle'] = ({ target }) => {
  let kills = 0;
  let timer: NodeJS.Timeout | undefined;
  const kill = () => {
    const [worker] = target ? workersOf(target.instance.pid) : [];
    // There are no workers while all of them restart.
    if (worker === undefined) return;
    process.kill(worker, 'SIGKILL');
    kills += 1;
  };
  return {
    inject: async () => {
      kill();
      timer = setInterval(kill, KILL_EVERY_MS);
    },
    // Kill one more worker: recovery is measured from here.
    remove: async () => {
      if (!timer) return;
      clearInterval(timer);
      timer = undefined;
      kill();
      return { kills };
    },
  };
};

/** A fault that consists of helper processes: `start` starts them and returns their stop functions. */
const helpers = (start: () => Promise<() => Promise<void>>[]): FaultHandle => {
  let running: Promise<() => Promise<void>>[] = [];
  return {
    inject: async () => {
      running = start();
      await Promise.all(running);
    },
    remove: async () => {
      const stops = await Promise.allSettled(running);
      running = [];
      await Promise.all(stops.map((stop) => stop.status === 'fulfilled' && stop.value()));
    },
  };
};

const CORES = availableParallelism();

const burnCpu: Fault['handle'] = () =>
  helpers(() => Array.from({ length: CORES }, () => startHelper('burner.js')));

const NEW_CLIENTS = 300;

const storm: Fault['handle'] = ({ url, headers }) =>
  helpers(() => [startHelper('storm.js', { url, headers, perSecond: NEW_CLIENTS })]);

const HEAP_SHARE = 0.9;

const fillHeap: Fault['handle'] = ({ target }) => ({
  inject: async () => {
    if (target) writeFileSync(target.instance.heapFile, String(HEAP_SHARE));
  },
  remove: async () => {
    if (!target) return;
    const { heapFile } = target.instance;
    rmSync(heapFile, { force: true });
    return { heap_peak_share: heapPeak(heapFile) };
  },
});

const ctl =
  (action: 'stop' | 'restart', component: string): Fault['handle'] =>
  (site) => ({
    inject: () => site.ctl(action, component),
    remove: () => site.ctl('start', component),
  });

const TO_TARGET = { way: 'proxy', foreign: true } as const;
const INSIDE = { way: 'direct', foreign: false } as const;
/** Requests succeed; none is refused. */
const UNHARMED = { least_success: 0.99, most_refused: 0 };
/** Requests that the other store can answer still succeed. */
const HALF = { least_success: 0.5, most_refused: 0 };
/** No request succeeds during the fault, so only the recovery can be judged. */
const NOTHING = { least_success: null, most_refused: null };

const SLOW = '200 ms ± 50 ms';
const EVERY = 'every connection';
const GONE = 'no connection';

/** Network faults between the target and a store. */
const onTheWayTo = (store: string, title: string, cutOff: Fault['handle']): Fault[] =>
  [
    { name: 'latency', intensity: SLOW, ...UNHARMED, handle: toxicHandle(store, TOXICS.latency) },
    { name: 'reset', intensity: EVERY, ...HALF, handle: toxicHandle(store, TOXICS.reset) },
    { name: 'bandwidth', intensity: '50 KB/s each', ...UNHARMED, handle: toxicHandle(store, TOXICS.narrow) },
    { name: 'cut', intensity: GONE, ...HALF, handle: cutOff },
  ].map((fault) => ({
    ...fault,
    name: `${store}-${fault.name}`,
    title: `${title} ${fault.name === 'cut' ? 'cut off' : fault.name}`,
    ...INSIDE,
  }));

export const FAULTS: Fault[] = [
  {
    name: 'latency',
    title: 'Network latency',
    intensity: SLOW,
    ...TO_TARGET,
    ...UNHARMED,
    handle: toxicHandle('target', TOXICS.latency),
  },
  {
    name: 'reset',
    title: 'Connections reset',
    intensity: EVERY,
    ...TO_TARGET,
    ...NOTHING,
    handle: toxicHandle('target', TOXICS.reset),
  },
  {
    name: 'bandwidth',
    title: 'Bandwidth',
    intensity: '5 KB/s each',
    ...TO_TARGET,
    ...UNHARMED,
    handle: toxicHandle('target', TOXICS.bandwidth),
  },
  { name: 'cut', title: 'Network cut', intensity: GONE, ...TO_TARGET, ...NOTHING, handle: cut('target') },
  {
    name: 'silence',
    title: 'Network silent',
    intensity: 'nothing comes back',
    ...TO_TARGET,
    ...NOTHING,
    handle: toxicHandle('target', TOXICS.silence),
  },
  {
    name: 'packet-loss',
    title: 'Packet loss',
    intensity: `${LOSS * 100}% each way`,
    way: 'lossy',
    foreign: true,
    least_success: 0.992,
    most_refused: 0.01,
    handle: losePackets,
  },
  ...onTheWayTo('database', 'Database', cut('database')),
  ...onTheWayTo('redis', 'Redis', cutRedis),
  {
    name: 'worker-kill',
    title: 'Process kill',
    intensity: `1 worker / ${KILL_EVERY_MS / 1000} s`,
    ...INSIDE,
    least_success: 0.999,
    most_refused: 0.05,
    handle: killWorkers,
  },
  {
    name: 'database-restart',
    title: 'Database restart',
    intensity: 'once',
    ...INSIDE,
    ...HALF,
    brief: true,
    handle: ctl('restart', 'postgres'),
  },
  {
    name: 'redis-gone',
    title: 'Redis gone',
    intensity: 'stopped',
    ...INSIDE,
    ...HALF,
    handle: ctl('stop', 'redis'),
  },
  {
    name: 'memory',
    title: 'Memory exhaustion',
    intensity: `${HEAP_SHARE * 100}% of ${HEAP_MB} MB`,
    ...INSIDE,
    least_success: 0.875,
    most_refused: 0.125,
    handle: fillHeap,
  },
  {
    name: 'cpu',
    title: 'CPU saturation',
    intensity: `${CORES} busy processes`,
    ...INSIDE,
    least_success: 1,
    most_refused: 0,
    handle: burnCpu,
  },
  {
    name: 'storm',
    title: 'Connection storm',
    intensity: `${NEW_CLIENTS} new clients/s`,
    way: 'direct',
    foreign: true,
    least_success: 0.998,
    most_refused: 0.002,
    handle: storm,
  },
];
