/**
 * Shared code of the benches: their server, a Prometheus, and k6 with the kernel's accounting of its CPU and memory.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { leaveWhereInterrupted, runForwardingSignals, tied, whileTaking } from '../cli/child.ts';
import { BROKEN, Ending, INTERRUPTED, USAGE } from '../cli/ending.ts';
import { generatorEnvironment, labOutput } from '../cli/k6.ts';
import { ROOT } from '../cli/stack.ts';
import { toolPath } from '../cli/tool-path.ts';
import { startServer } from '../cli/trials/server-process.ts';
import { freePort } from '../contract/free-port.js';
import { variables } from '../lib/config.js';

export { logProgress } from '../cli/log-progress.ts';

/** A way to run k6. */
export interface Generator {
  /** File in bench/k6/. */
  script: string;
  /** URL of the server under test. */
  url: string;
  /** Added to the shell's environment without the variables that configure k6 or the scripts. */
  env?: Record<string, string>;
  /** The k6 scenario, passed as BENCH_SCENARIO. */
  scenario?: object;
  /** Folder of the output lab's files, which replace k6's summary. */
  results?: string;
  /** URL of the Prometheus that receives the metrics. */
  prometheus?: string;
  args?: string[];
  /** Errors in k6's log do not fail the bench. */
  mayFail?: boolean;
}

export interface Usage {
  /** User and system time of the k6 process. */
  cpuUs: number;
  /** Maximum resident set size. */
  peakBytes: number;
}

/** Calls one tool through all of lib/, with k6 configured as in a run. */
export const oneTool = (url: string): Generator => ({
  script: 'one-tool.js',
  url,
  env: { ...generatorEnvironment(0), PROFILE: 'full', TOOL: 'lookup', ARGS: '{"key":"a"}' },
});

/** @param name environment variable with a whole number above 0 */
export function count(name: string, fallback: number): number {
  const text = process.env[name] || String(fallback);
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  console.error(`error: ${name} is "${text.slice(0, 80)}"; valid: a whole number above 0`);
  process.exit(USAGE);
}

/** The processes that a bench started, and a folder for its files. */
export class Bench extends AsyncDisposableStack {
  readonly folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-bench-'));
  #ending?: Promise<void>;

  /** Runs the bench and stops its processes in any case. @param measure returns whether every limit holds */
  static async run(measure: (bench: Bench) => Promise<boolean>) {
    const bench = new Bench();
    bench.defer(() => rmSync(bench.folder, { recursive: true, force: true }));
    await whileTaking(
      () => bench.#end().finally(() => process.exit(INTERRUPTED)),
      async () => {
        try {
          process.exitCode = (await measure(bench)) ? 0 : BROKEN;
        } catch (error) {
          if (!(error instanceof Ending)) throw error;
          process.exitCode = error.code;
        } finally {
          await bench.#end();
        }
      },
    );
  }

  /** Runs once: later calls wait for the first to finish. */
  #end() {
    this.#ending ??= this.disposeAsync();
    return this.#ending;
  }

  /** Starts a server that is stopped with the bench. */
  async start(...[name, how]: Parameters<typeof startServer>) {
    const server = await startServer(name, how);
    this.defer(server.stop);
    return server;
  }
}

/**
 * Linux divides the CPUs among sessions (autogroup). If the server is in another session, large answers arrive in more
 * and smaller pieces, which cost k6 half as much again.
 */
const DETACHED = false;

/** Starts bench/server. @param bench stops the server when it ends, if given */
export async function startBenchServer(bench: Pick<Bench, 'start'> = { start: startServer }) {
  const address = `127.0.0.1:${await freePort()}`;
  const tlsAddress = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const file = toolPath('bench-server');
  const how = { file, args: [address, tlsAddress], url, ready: `${url}/served`, detached: DETACHED };
  const { pid, stop } = await bench.start("the bench's server", how);
  const read = async <T>(path: string) => (await (await fetch(`${url}${path}`)).json()) as T;
  const served = () => read<number>('/served');
  const times = () => read<Record<string, number[]>>('/times');
  return { url, tlsUrl: `https://${tlsAddress}`, pid, stop, served, times };
}

/** Starts a Prometheus with the stack's flags that scrapes nothing and accepts remote writes. @returns its URL */
export async function startPrometheus(bench: Bench) {
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const config = join(bench.folder, 'prometheus.yml');
  writeFileSync(config, '');
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(bench.folder, 'prometheus')}`,
    `--web.listen-address=${address}`,
    `@${join(ROOT, 'provisioning/prometheus/flags')}`,
  ];
  const how = { file: toolPath('prometheus'), args, url, ready: `${url}/-/ready`, status: 200 };
  await bench.start('Prometheus', how);
  return url;
}

/**
 * Runs a command and prints its CPU seconds and its peak memory in KiB, as accounted by the kernel. Shells don't
 * provide these.
 */
const WITH_RUSAGE = `import os, sys
_, status, used = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ), 0)
print(f"\\n{used.ru_utime + used.ru_stime} {used.ru_maxrss}")
sys.exit(os.waitstatus_to_exitcode(status))`;

/** The environment without the variables that configure k6 or this library. */
function plainEnvironment() {
  const read = ['GOGC', 'GOMEMLIMIT', 'GOMAXPROCS', ...Object.keys(variables)];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !read.includes(name)));
}

/**
 * @param bench k6 logs into its folder
 * @param watch called every `everyMs` while k6 runs, with the address of k6's API
 * @throws {Error} if k6 failed or logged an error: the measurements would be meaningless
 */
export async function runK6(
  { script, url, env, scenario, results, prometheus, args = [], mayFail = false }: Generator,
  { folder }: Bench,
  watch: (address: string) => Promise<void> = async () => {},
  everyMs = 500,
): Promise<Usage> {
  const log = join(folder, 'k6.log');
  writeFileSync(log, '');
  const address = `127.0.0.1:${await freePort()}`;
  const command = [
    ...tied([toolPath('k6'), 'run', '--address', address, '--log-output', `file=${log},level=error`]),
    ...(results ? labOutput(results) : []),
    ...(prometheus ? ['--out', 'experimental-prometheus-rw'] : []),
    ...args,
    join(ROOT, 'bench/k6', script),
  ];
  let running = true;
  const ended = runForwardingSignals('python3', ['-c', WITH_RUSAGE, ...command], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    extendEnv: false,
    detached: DETACHED,
    env: {
      ...plainEnvironment(),
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
      K6_NO_USAGE_REPORT: 'true',
      TARGET_URL: url,
      BENCH_SCENARIO: JSON.stringify(scenario),
      K6_PROMETHEUS_RW_SERVER_URL: prometheus && `${prometheus}/api/v1/write`,
      ...env,
    },
  }).finally(() => {
    running = false;
  });
  const watching = async () => {
    for (; running; await sleep(everyMs)) await watch(address);
  };
  const [{ code, stdout }] = await Promise.all([ended, watching()]);
  leaveWhereInterrupted();
  const errors = readFileSync(log, 'utf8');
  if (code !== 0 || (errors !== '' && !mayFail)) {
    throw new Error(`k6 run ${script} exited with code ${code}: ${errors.slice(-2000) || 'no error'}`);
  }
  const [seconds, kibibytes] = stdout.slice(stdout.lastIndexOf('\n')).split(' ').map(Number);
  return { cpuUs: 1e6 * Number(seconds), peakBytes: 1024 * Number(kibibytes) };
}

/** Current values of k6's own metrics; NaN while it starts or exits. */
export async function ownMetrics(address: string, ...names: string[]): Promise<number[]> {
  const text = await fetch(`http://${address}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  );
  return names.map((name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]));
}
