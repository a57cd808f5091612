/** What the benches share: their server, a Prometheus, and k6 with what the kernel counted for it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatorEnvironment, labOutput } from '../cli/k6.ts';
import { variables } from '../lib/config.js';
import { freePort } from '../tests/lab.js';
import { toolPath } from '../tests/tool.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HEALTHY_WITHIN_MS = 20_000;

/**
 * A script that calls through the whole of lib/, in a k6 that is started as scripts/run starts it.
 *
 * @param {string} script
 * @param {string} url
 * @param {Record<string, string>} [env]
 * @returns {Generator}
 */
export function ours(script, url, env = {}) {
  return { script, env: { ...generatorEnvironment(0), TARGET_URL: url, ...env } };
}

/** @param {Generator} generator @param {string} folder @returns {Generator} with what the output lab makes of it there */
export function measuring({ args = [], ...generator }, folder) {
  return { ...generator, args: [...args, ...labOutput(folder)] };
}

/** What `one-tool.js` calls. */
export const SINGLE_TOOL = { PROFILE: 'full', TOOL: 'lookup', ARGS: '{"key":"a"}' };

/**
 * @param {string} url
 * @param {Record<string, string>} [env]
 * @returns {Generator} the yardstick, with k6 as it comes
 */
export const bare = (url, env = {}) => ({ script: 'bare.js', env: { TARGET_URL: url, ...env } });

/** @param {string} name a whole number above 0 from the environment @param {number} fallback */
export function count(name, fallback) {
  const text = process.env[name] || String(fallback);
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  console.error(`error: ${name} is "${text.slice(0, 80)}"; valid: a whole number above 0`);
  process.exit(2);
}

/** @param {string} text progress, on stderr */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Runs a bench with a folder for what it leaves, and ends what it started, however it ends.
 *
 * @param {(bench: {folder: string, later: (end: () => unknown) => void}) => Promise<boolean>} bench
 *   whether every limit holds
 */
export async function run(bench) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-bench-'));
  /** @type {(() => unknown)[]} */
  const ends = [];
  const end = async () => {
    for (const each of ends.splice(0).reverse()) await each();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      end().finally(() => process.exit(1));
    });
  }
  try {
    process.exitCode = (await bench({ folder, later: (each) => ends.push(each) })) ? 0 : 1;
  } finally {
    await end();
  }
}

/**
 * @param {string} [timesFile] where /sleep logs its service times
 * @returns {Promise<{url: string, pid: number, served: () => Promise<number>, held: () => Promise<number>,
 *   stop: () => Promise<void>}>}
 */
export async function startServer(timesFile) {
  const child = spawn(toolPath('bench-server'), timesFile ? [timesFile] : [], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(String(line).trim()));
    child.once('error', reject);
    child.once('exit', () => reject(new Error("the bench's server does not start")));
  });
  /** @param {string} path */
  const number = async (path) => Number(await (await fetch(`${url}${path}`)).text());
  return {
    url,
    pid: child.pid ?? 0,
    served: () => number('/served'),
    held: () => number('/held'),
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * A Prometheus that scrapes nothing and takes remote writes, with the stack's own flags.
 *
 * @param {string} folder
 */
export async function startPrometheus(folder) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(join(folder, 'prometheus.yml'), '');
  const child = spawn(
    toolPath('prometheus'),
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `@${join(ROOT, 'provisioning/prometheus/flags')}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill();
    await ended;
  };
  const deadline = Date.now() + HEALTHY_WITHIN_MS;
  while (!(await fetch(`${url}/-/ready`).catch(() => null))?.ok) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop();
      throw new Error('Prometheus does not start');
    }
    await sleep(100);
  }
  return { url, stop };
}

/** @param {number} ms */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * @typedef {object} Generator one way to run k6
 * @property {string} script in bench/k6/
 * @property {Record<string, string>} env on top of what the shell has
 * @property {string[]} [args] of `k6 run`
 *
 * @typedef {object} Watched
 * @property {() => boolean} running
 * @property {() => number} descriptors that are open; 0 while k6 starts or ends
 * @property {() => Promise<{resident: number, live: number} | null>} memory bytes: its resident set, and the heap that
 *   is in use when its garbage has been collected; null while k6 starts or ends
 *
 * @typedef {object} Usage
 * @property {number} cpuUs user and system time of the k6 process
 * @property {number} peakBytes its largest resident set
 */

/**
 * @param {Generator} generator of bare.js or one-tool.js
 * @param {Record<string, string | number>} scenario k6's
 * @returns {Generator}
 */
export function withScenario({ env, ...generator }, scenario) {
  return { ...generator, env: { ...env, BENCH_SCENARIO: JSON.stringify(scenario) } };
}

/**
 * @param {Generator} generator
 * @param {string} prometheus
 * @returns {Generator} the same with its metrics written to Prometheus, with the settings of `ours`
 */
export function streaming({ args = [], env, ...generator }, prometheus) {
  return {
    ...generator,
    args: [...args, '--out', 'experimental-prometheus-rw'],
    env: {
      ...env,
      K6_PROMETHEUS_RW_SERVER_URL: `${prometheus}/api/v1/write`,
    },
  };
}

/**
 * The environment of a user who has set none of the variables that the generator or this library read.
 *
 * @returns {Record<string, string | undefined>}
 */
function plainEnvironment() {
  const read = ['GOGC', 'GOMEMLIMIT', 'GOMAXPROCS', ...Object.keys(variables)];
  const kept = Object.entries(process.env).filter(([name]) => !read.includes(name));
  return { ...Object.fromEntries(kept), K6_AUTO_EXTENSION_RESOLUTION: 'false', K6_NO_USAGE_REPORT: 'true' };
}

/** Starts k6 once in a while, always one at a time. */
export class Runner {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
    this.k6 = toolPath('k6');
    this.rusage = toolPath('rusage');
  }

  /**
   * @param {Generator} generator
   * @param {(k6: Watched) => Promise<void>} [watch] while it runs
   * @returns {Promise<Usage>}
   */
  async run({ script, env, args = [] }, watch = async () => {}) {
    const usageFile = join(this.folder, 'usage.json');
    const log = join(this.folder, 'k6.log');
    writeFileSync(log, '');
    const port = await freePort();
    const child = spawn(
      this.rusage,
      [
        usageFile,
        this.k6,
        'run',
        '--address',
        `127.0.0.1:${port}`,
        '--log-output',
        `file=${log},level=error`,
        ...args,
        join(ROOT, 'bench/k6', script),
      ],
      {
        cwd: this.folder,
        env: { ...plainEnvironment(), ...env },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await watch({
      memory: () => memoryOf(childOf(child.pid ?? 0), port),
      descriptors: () => descriptorsOf(childOf(child.pid ?? 0)),
      running: () => child.exitCode === null && child.signalCode === null,
    });
    const code = await ended;
    process.removeListener('exit', kill);
    // k6 goes on where Prometheus takes nothing, or a call fails; the figures would be of something else.
    const errors = readFileSync(log, 'utf8');
    if (code !== 0 || errors !== '') {
      throw new Error(`k6 run ${script} ended with ${code}: ${errors.slice(-2000) || 'no error'}`);
    }
    const { user_us, system_us, max_rss_kib } = JSON.parse(readFileSync(usageFile, 'utf8'));
    return { cpuUs: user_us + system_us, peakBytes: max_rss_kib * 1024 };
  }
}

/** @param {number} pid @returns {number | null} its only child */
function childOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? null : Number(text.split(' ')[0]);
  } catch {
    return null;
  }
}

/** @param {number | null} pid of k6 */
function descriptorsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/**
 * @param {number | null} pid of k6
 * @param {number} port where it was told to listen, with its profiling on
 */
async function memoryOf(pid, port) {
  const address = `http://127.0.0.1:${port}`;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    await (await fetch(`${address}/debug/pprof/heap?gc=1`)).arrayBuffer();
    const metrics = await (await fetch(`${address}/metrics`)).text();
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    const bytes = /^go_memstats_heap_alloc_bytes (\S+)$/m.exec(metrics)?.[1];
    return kib && bytes ? { resident: Number(kib) * 1024, live: Number(bytes) } : null;
  } catch {
    return null;
  }
}
