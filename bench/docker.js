/**
 * What the containers cost: the same load on the native stack and in Docker, in turn. `make bench-docker` calls this.
 *
 *   ROUNDS=3 REQUESTS=3000 IDLE_S=60 node bench/docker.js
 *
 * Each round starts from nothing: a new folder for the state, no data, nothing running. What was built or pulled once is there
 * (images of others, built tools, Docker's layers). The machine has to have nothing else to do: idle cost is the whole machine's.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { machine } from '../analysis/host-watch-processes.js';
import { ratio, spread } from './figures.js';
import { printTable, spreadText } from './table.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ROUNDS = Number(process.env.ROUNDS || 3);
const IDLE_S = Number(process.env.IDLE_S || 60);
/** After a start, until nothing is left of it. */
const SETTLE_S = 15;
const KINDS = /** @type {const} */ (['native', 'docker']);
const LOAD = {
  PROFILE: 'smoke',
  CONCURRENCY: '5',
  REQUESTS: process.env.REQUESTS || '3000',
  OBJECTIVES: 'off',
};

/** @typedef {{verdictS: number, p99Ms: number, generatorUs: number, idleCores: number}} Figures */

/** @type {Record<keyof Figures, {title: string, digits: number}>} */
const TABLE = {
  verdictS: { title: 'from nothing to the verdict of a spike, PROFILE=smoke (s)', digits: 0 },
  p99Ms: { title: `p99 of ${LOAD.REQUESTS} requests by ${LOAD.CONCURRENCY} VUs (ms)`, digits: 1 },
  generatorUs: { title: 'CPU of the generator a request (µs)', digits: 0 },
  idleCores: { title: 'CPU of the stack at rest (cores)', digits: 3 },
};

/** @param {string} script @param {Record<string, string>} env @param {number[]} [expected] */
function run(script, env, expected = [0]) {
  const [file = '', ...args] = script.split(' ');
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'scripts', file), args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (!expected.includes(status ?? -1)) throw new Error(`${script}: exit code ${status}\n${stdout}${stderr}`);
}

/** @param {number} seconds @returns {Promise<number>} cores in use meanwhile */
async function busyCores(seconds) {
  const [before, startMs] = [machine().busy, performance.now()];
  await sleep(seconds * 1000);
  return (machine().busy - before) / ((performance.now() - startMs) / 1000);
}

/** @param {string} results @returns {any} the newest run's document */
const newest = (results) => JSON.parse(readFileSync(join(results, 'latest/run.json'), 'utf8'));

/** @param {typeof KINDS[number]} kind @param {number} restCores of the machine with nothing up @returns {Promise<Figures>} */
async function measure(kind, restCores) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-docker-'));
  const results = join(folder, 'results');
  const env = { STACK: kind, RUN_DIR: join(folder, 'run'), RESULTS_DIR: results };
  try {
    const startMs = performance.now();
    // 99 and 98: a machine below the objectives.
    run('run spike', { ...env, PROFILE: 'smoke' }, [0, 98, 99]);
    const verdictS = (performance.now() - startMs) / 1000;
    await sleep(SETTLE_S * 1000);
    const idleCores = (await busyCores(IDLE_S)) - restCores;
    run('run load', { ...env, ...LOAD }, [0, 98]);
    const document = newest(results);
    const phase = document.phases.find((/** @type {any} */ { measured }) => measured);
    const share = document.signals.find(
      (/** @type {any} */ { signal, phase: name }) => signal === 'generator_cpu' && name === phase.name,
    )?.avg;
    const generatorUs = (share * document.environment.cores * phase.duration_s * 1_000_000) / phase.requests;
    return { verdictS, p99Ms: phase.latency_ms.p99, generatorUs, idleCores };
  } finally {
    run('clean', env);
    rmSync(folder, { recursive: true });
  }
}

const restCores = await busyCores(SETTLE_S);
/** @type {Record<typeof KINDS[number], Figures[]>} */
const figures = { native: [], docker: [] };
for (let round = 1; round <= ROUNDS; round += 1) {
  for (const kind of round % 2 ? KINDS : [...KINDS].reverse()) {
    process.stderr.write(`round ${round} of ${ROUNDS}: ${kind} ...\n`);
    figures[kind].push(await measure(kind, restCores));
  }
}
printTable(
  ['what', 'native', 'Docker', 'Docker / native'],
  Object.entries(TABLE).map(([name, { title, digits }]) => {
    const [native, docker] = KINDS.map((kind) =>
      figures[kind].map((one) => one[/** @type {keyof Figures} */ (name)]),
    );
    return [
      title,
      spreadText(spread(native ?? []), digits),
      spreadText(spread(docker ?? []), digits),
      spreadText(ratio(docker ?? [], native ?? []), 2),
    ];
  }),
);
