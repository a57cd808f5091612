import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { medianOf } from '../analysis/statistics/interval.ts';
import { seededRandom } from '../contract/seeded-random.js';
import { rounds, USUAL_RUNS } from './rounds.js';

/** What is tried, by PROFILE. */
const HOW =
  /** @type {Record<string, {workers: string[], pools: string[], cached: number, repeats?: number}>} */ ({
    smoke: { workers: ['1', '2'], pools: ['2', '25'], cached: 1000, repeats: 1 },
    quick: { workers: ['1', '2', '4'], pools: ['2', '10', '25', '50'], cached: 5000 },
    full: { workers: ['1', '2', '4', '8'], pools: ['2', '5', '10', '20', '50'], cached: 10_000 },
  });

/** What has just started or been loaded gets this long to come to rest; then so many looks, their median counts. */
const REST_MS = 2000;
const LOOKS = 5;
const LOOK_MS = 400;

/** @typedef {import('../analysis/tables/trial-results.ts').MemoryResult} MemoryResult */
/** @typedef {import('../analysis/tables/trial-results.ts').Point} Point */

/** Seconds to start the target anew, and of a load of so many calls. */
const START_S = 3;
const LOAD_S = 5;

/** @param {any} config */
export const lasts = ({ PROFILE, RUNS }) => {
  const { workers, pools, repeats = RUNS ?? USUAL_RUNS } = /** @type {(typeof HOW)[string]} */ (HOW[PROFILE]);
  const lookS = (REST_MS + LOOKS * LOOK_MS) / 1000;
  const atRest = workers.length * (START_S + lookS);
  const pooled = pools.length * (START_S + LOAD_S + lookS);
  return repeats * (atRest + pooled) + START_S + 2 * LOAD_S;
};

/** @param {import('./lab.js').Lab} lab */
export default async function memory(lab) {
  const { PROFILE, RUNS, SEED } = lab.config;
  const how = /** @type {(typeof HOW)[string]} */ (HOW[PROFILE]);
  const repeats = how.repeats ?? RUNS ?? USUAL_RUNS;
  const random = seededRandom(SEED);
  /** @type {MemoryResult} */
  const result = { runtime: await bareRuntime(), workers: [], pool: [], cache: [] };
  lab.result = result;

  for (const order of rounds(how.workers, repeats, random)) {
    lab.say(`memory: at rest with ${order.join(', ')} workers`);
    for (const workers of order) {
      // So few connections, none of them open yet, that the database has enough for all workers.
      await lab.target({ WORKERS: workers, POOL_SIZE: '10' }, { fresh: true });
      result.workers.push([Number(workers), (await look(lab)).resident]);
    }
  }
  for (const [round, order] of rounds(how.pools, repeats, random).entries()) {
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
  // Read-through: what is cached is what was asked for, and no more.
  const cached = { WORKERS: '1', POOL_SIZE: 'default', CACHE_STRATEGY: 'read-through', CACHE_TTL: '3600' };
  await lab.target(cached, { fresh: true });
  // A key or two are the target's own.
  const [own] = await lookAtRedis();
  const add = async () => {
    const [keys, size] = await lookAtRedis();
    result.cache.push([Math.max(0, keys - own), size]);
  };
  await add();
  await lab.trial({
    name: 'cache',
    labels: { part: 'cache' },
    env: { PART: 'cache', CACHED: String(how.cached), PROFILE: 'full', DURATION: '' },
    during: async ({ at }) => {
      for (let second = 0.2; ; second += 0.2) {
        // Until the load is over.
        if (
          !(await at(second).then(
            () => true,
            () => false,
          ))
        )
          return;
        await add();
      }
    },
  });
  await add();
}

/**
 * @param {import('./lab.js').Lab} lab
 * @returns {Promise<{resident: number, connections: number}>} bytes of all the target's processes, and its open
 *   connections to the database
 */
async function look(lab) {
  await sleep(REST_MS);
  /** @type {number[]} */
  const sizes = [];
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

/** @returns {Promise<Point>} users in the cache, and Redis' own bytes */
async function lookAtRedis() {
  const read = await metricsOf(`http://127.0.0.1:${process.env.REDIS_EXPORTER_PORT}/metrics`);
  return [read('redis_db_keys{db="db0"}') || 0, read('redis_memory_used_bytes')];
}

/**
 * @param {string} url
 * @returns {Promise<(series: string) => number>} the value of a series as it is written; NaN: it is not there
 */
async function metricsOf(url) {
  const lines = (await (await fetch(url)).text()).split('\n');
  return (series) =>
    Number(lines.find((line) => line.startsWith(`${series} `))?.slice(series.length) ?? 'none');
}

/** @returns {Promise<number | null>} */
async function bareRuntime() {
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
