/** What the benches share: their server, a Prometheus, and k6 with what the kernel counted for it. */
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

/** One way to run k6. */
export interface Generator {
  /** In bench/k6/. */
  script: string;
  /** What it calls. */
  url: string;
  /** On top of the shell's, but for what tunes k6 or the scripts. */
  env?: Record<string, string>;
  /** k6's; in BENCH_SCENARIO. */
  scenario?: object;
  /** Where the output lab leaves its files, in place of k6's summary. */
  results?: string;
  /** URL of the Prometheus that gets the metrics. */
  prometheus?: string;
  args?: string[];
  /** Errors in its log are part of what is measured. */
  mayFail?: boolean;
}

export interface Usage {
  /** User and system time of the k6 process. */
  cpuUs: number;
  /** Its largest resident set. */
  peakBytes: number;
}

/** What calls one tool through the whole of lib/, in a k6 with the settings of a run. */
export const oneTool = (url: string): Generator => ({
  script: 'one-tool.js',
  url,
  env: { ...generatorEnvironment(0), PROFILE: 'full', TOOL: 'lookup', ARGS: '{"key":"a"}' },
});

/** @param name a whole number above 0 from the environment */
export function count(name: string, fallback: number): number {
  const text = process.env[name] || String(fallback);
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  console.error(`error: ${name} is "${text.slice(0, 80)}"; valid: a whole number above 0`);
  process.exit(USAGE);
}

/** What a bench started, in a folder for what it leaves. */
export class Bench extends AsyncDisposableStack {
  readonly folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-bench-'));
  #ending?: Promise<void>;

  /** Runs it, and ends what it started, however it ends. @param measure whether every limit holds */
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

  /** Once: who asks a second time waits for the same end. */
  #end() {
    this.#ending ??= this.disposeAsync();
    return this.#ending;
  }

  /** A server that ends with the bench. */
  async start(...[name, how]: Parameters<typeof startServer>) {
    const server = await startServer(name, how);
    this.defer(server.stop);
    return server;
  }
}

/**
 * Linux shares the CPUs out by session (autogroup): of a server in another one, a large answer comes in more and smaller pieces, which cost k6
 * half as much again.
 */
const DETACHED = false;

/** See bench/server. @param bench that it ends with, if any */
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

/** A Prometheus that scrapes nothing and takes remote writes, with the stack's own flags. @returns its URL */
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

/** What no shell tells: runs a command, and prints its seconds of CPU and its peak memory in KiB, as the kernel counted them. */
const WITH_RUSAGE = `import os, sys
_, status, used = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ), 0)
print(f"\\n{used.ru_utime + used.ru_stime} {used.ru_maxrss}")
sys.exit(os.waitstatus_to_exitcode(status))`;

/** Of a user who has set none of the variables that the generator or this library read. */
function plainEnvironment() {
  const read = ['GOGC', 'GOMEMLIMIT', 'GOMAXPROCS', ...Object.keys(variables)];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !read.includes(name)));
}

/**
 * @param bench in its folder k6 logs
 * @param watch called every `everyMs` while it runs, with the address of k6's API
 * @throws {Error} where k6 failed, or logged an error: the figures would be of something else
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
    throw new Error(`k6 run ${script} ended with ${code}: ${errors.slice(-2000) || 'no error'}`);
  }
  const [seconds, kibibytes] = stdout.slice(stdout.lastIndexOf('\n')).split(' ').map(Number);
  return { cpuUs: 1e6 * Number(seconds), peakBytes: 1024 * Number(kibibytes) };
}

/** Figures that k6 has of itself, of one moment; NaN while it starts or ends. */
export async function ownMetrics(address: string, ...names: string[]): Promise<number[]> {
  const text = await fetch(`http://${address}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  );
  return names.map((name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]));
}
