import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { medianOf } from '../../analysis/statistics/interval.ts';
import type { Config } from '../../cli/trials/config.ts';
import type { Lab } from '../../cli/trials/lab.ts';
import { DEFAULT_RUNS, rounds } from '../../cli/trials/rounds.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import type { ProfileName } from '../../contract/profiles.js';
import { seededRandom } from '../../contract/seeded-random.js';

export type Point = [count: number, bytes: number];

export interface MemoryResult {
  /** Memory of an idle Node process, bytes; null = unknown on this system. */
  runtime: number | null;
  /** Memory at rest, by number of worker processes. */
  workers: Point[];
  /** By number of open connections. */
  pool: Point[];
  /** Redis' memory, by number of keys. */
  cache: Point[];
}

interface Sizes {
  workers: string[];
  pools: string[];
  cached: number;
  repeats?: number;
}

const SIZES: Record<ProfileName, Sizes> = {
  smoke: { workers: ['1', '2'], pools: ['2', '25'], cached: 1000, repeats: 1 },
  quick: { workers: ['1', '2', '4'], pools: ['2', '10', '25', '50'], cached: 5000 },
  full: { workers: ['1', '2', '4', '8'], pools: ['2', '5', '10', '20', '50'], cached: 10_000 },
};

/** Time for the target to settle after a start or a load; then the median of several readings counts. */
const REST_MS = 2000;
const LOOKS = 5;
const LOOK_MS = 400;

/** Duration of a restart of the target and of a load with a fixed number of calls, seconds. */
const START_S = 3;
const LOAD_S = 5;

/** Interval of reading the size of the cache while it fills, seconds. */
const CACHE_LOOK_S = 0.2;

const repeatsOf = ({ PROFILE, RUNS }: Config) => SIZES[PROFILE].repeats ?? RUNS ?? DEFAULT_RUNS;

export const nativeOnly = true;

export const lasts: TrialsModule<Config>['lasts'] = (config) => {
  const { workers, pools } = SIZES[config.PROFILE];
  const lookS = (REST_MS + LOOKS * LOOK_MS) / 1000;
  const atRest = workers.length * (START_S + lookS);
  const pooled = pools.length * (START_S + LOAD_S + lookS);
  return repeatsOf(config) * (atRest + pooled) + START_S + 2 * LOAD_S;
};

export default async function memory(lab: Lab<Config, MemoryResult>) {
  const { workers: counts, pools, cached } = SIZES[lab.config.PROFILE];
  const repeats = repeatsOf(lab.config);
  const random = seededRandom(lab.config.SEED);
  const result: MemoryResult = { runtime: await bareRuntime(), workers: [], pool: [], cache: [] };
  lab.result = result;

  for (const order of rounds(counts, repeats, random)) {
    lab.logProgress(`memory: at rest with ${order.join(', ')} workers`);
    for (const workers of order) {
      // A small pool: the database has enough connections for all workers, and none is open yet.
      await lab.target({ WORKERS: workers, POOL_SIZE: '10' }, { fresh: true });
      result.workers.push([Number(workers), (await look(lab)).resident]);
    }
  }
  for (const [round, order] of rounds(pools, repeats, random).entries()) {
    for (const size of order) {
      await lab.target({ WORKERS: '1', POOL_SIZE: size }, { fresh: true });
      const name = `pool-${size}-r${round + 1}`;
      await lab.trial({
        name,
        labels: { part: 'pool', POOL_SIZE: size },
        env: { PART: 'pool', DURATION: '' },
      });
      const { resident, connections } = await look(lab);
      result.pool.push([connections, resident]);
    }
  }
  // Read-through: only requested entries are cached.
  await lab.target(
    { WORKERS: '1', POOL_SIZE: 'default', CACHE_STRATEGY: 'read-through', CACHE_TTL: '3600' },
    { fresh: true },
  );
  // The target itself has one or two keys.
  const [own] = await lookAtRedis();
  const add = async () => {
    const [keys, size] = await lookAtRedis();
    result.cache.push([Math.max(0, keys - own), size]);
  };
  await add();
  await lab.trial({
    name: 'cache',
    labels: { part: 'cache' },
    env: { PART: 'cache', CACHED: String(cached), PROFILE: 'full', DURATION: '' },
    during: async ({ at }) => {
      for (let second = CACHE_LOOK_S; ; second += CACHE_LOOK_S) {
        const over = await at(second).catch(() => true);
        if (over) return;
        await add();
      }
    },
  });
  await add();
}

/** @returns memory of all processes of the target, bytes, and its open connections to the database */
async function look(lab: Lab<Config, MemoryResult>): Promise<{ resident: number; connections: number }> {
  await sleep(REST_MS);
  const sizes: number[] = [];
  let connections = 0;
  for (let made = 0; made < LOOKS; made += 1) {
    lab.check();
    const read = await metricsOf(process.env.TARGET_METRICS_URL ?? '');
    sizes.push(read('process_resident_memory_bytes'));
    connections = read('pool_connections{state="used"}') + read('pool_connections{state="idle"}');
    await sleep(LOOK_MS);
  }
  return { resident: medianOf(sizes), connections };
}

/** @returns number of cached users, and Redis' memory, bytes */
async function lookAtRedis(): Promise<Point> {
  const read = await metricsOf(`http://127.0.0.1:${process.env.REDIS_EXPORTER_PORT}/metrics`);
  return [read('redis_db_keys{db="db0"}') || 0, read('redis_memory_used_bytes')];
}

/** @returns a function that reads the value of a series by its text; NaN if it does not exist */
async function metricsOf(url: string): Promise<(series: string) => number> {
  const lines = (await (await fetch(url)).text()).split('\n');
  return (series) =>
    Number(lines.find((line) => line.startsWith(`${series} `))?.slice(series.length) ?? 'none');
}

async function bareRuntime(): Promise<number | null> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  try {
    await sleep(REST_MS);
    const [, kilobytes] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    return kilobytes ? Number(kilobytes) * 1024 : null;
  } catch {
    return null;
  } finally {
    child.kill();
  }
}
