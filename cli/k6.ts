/** Runs k6 with its limits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa, type Options, type ResultPromise } from 'execa';
import { callerPath, type Ended, runForwardingSignals } from './child.ts';
import { logProgress } from './log-progress.ts';
import { totalMemory } from './machine.ts';
import { ROOT } from './stack.ts';
import { toolPath } from './tool-path.ts';

/**
 * MiB per VU, of which 0.6 are live. With less, k6 spends most of its CPU on garbage collection
 * (docs/scale.md).
 */
export const MEMORY_OF_USER = 1;
/** Go's exit code if it cannot allocate memory. k6 itself does not use it. */
const OUT_OF_MEMORY = 2;
export const KILLED = 137;

let found: { path: string; version: string } | undefined;

/** The path of k6 and its version: the pinned version for the project's own build. */
export async function k6() {
  if (found) return found;
  const path = process.env.K6_FOUND || toolPath('k6');
  process.env.K6_FOUND = path;
  const version = path.includes('/k6-')
    ? /go\.k6\.io\/k6\/v2 .*/.exec(readFileSync(join(ROOT, 'xk6-mcp/go.mod'), 'utf8'))?.[0]
    : (await execa(path, ['version'], { stdin: 'ignore', reject: false })).stdout;
  found = { path, version: /\d+\.\d+\.\d+[\w.-]*/.exec(version ?? '')?.[0] ?? '' };
  return found;
}

/**
 * Memory limit of k6 in MiB, by default three quarters of the machine's memory. k6 reads and decompresses
 * whole answers: without a limit a server could exhaust the memory.
 */
function mostMemory(): number | undefined {
  if (process.env.GENERATOR_MEMORY) return Number(process.env.GENERATOR_MEMORY);
  const total = totalMemory();
  return total === undefined ? undefined : Math.floor((total * 3) / 4);
}

/**
 * Environment of k6: Go runtime settings and the output to Prometheus. k6 reads the options of the remote
 * write only from its process environment.
 *
 * @param users VUs; 0 = unknown
 */
export function generatorEnvironment(users: number): Record<string, string> {
  // Soft memory limit, above which Go collects garbage aggressively: a quarter of the memory, or more if the
  // VUs need more.
  const limit = Math.max(Math.floor((totalMemory() ?? 8192) / 4), users * MEMORY_OF_USER);
  return {
    // Enables native histograms. A variable or flag of k6 would add a label k6_feature_native_histograms to
    // all series.
    K6_CONFIG: join(ROOT, 'provisioning/k6.json'),
    K6_PROMETHEUS_RW_STALE_MARKERS: 'true',
    K6_PROMETHEUS_RW_PUSH_INTERVAL: '2s',
    // Collect garbage at a fifth of the default frequency, which saves a sixth of the CPU per request. Above
    // GOMEMLIMIT, Go collects more often.
    GOGC: process.env.GOGC || '400',
    GOMEMLIMIT: process.env.GOMEMLIMIT || `${limit}MiB`,
  };
}

/**
 * Options set by the project's commands. Others in the caller's environment, such as
 * K6_INSECURE_SKIP_TLS_VERIFY, would silently change a run.
 */
const TAKEN_OPTIONS = ['K6_AUTO_EXTENSION_RESOLUTION', 'K6_NO_USAGE_REPORT', 'K6_NO_CONNECTION_REUSE'];

const foreignOptions = () =>
  Object.keys(process.env).filter((name) => name.startsWith('K6_') && !TAKEN_OPTIONS.includes(name));

/** k6 options for its results in a folder: seconds.jsonl during the run, measured.json at the end. */
export const labOutput = (folder: string) => ['--summary-mode=disabled', '--out', `lab=${folder}`];

/** @param env added to this program's environment */
export async function runK6(
  args: readonly string[],
  { env = {}, ...options }: Options & { env?: Record<string, string> } = {},
  onStart?: (child: ResultPromise) => void,
): Promise<Ended> {
  const { path } = await k6();
  const { SECRET_SOURCE: secrets, TARGET_CA: authority } = { ...process.env, ...env };
  // k6's secret source cannot be set by an environment variable.
  const all = args[0] === 'run' && secrets ? ['run', '--secret-source', secrets, ...args.slice(1)] : args;
  const most = mostMemory();
  const command = [path, ...all];
  const limited =
    most === undefined
      ? command
      : ['sh', '-c', 'ulimit -d "$0" 2>/dev/null; exec "$@"', String(most * 1024), ...command];
  const done = await runForwardingSignals(
    limited[0] ?? '',
    limited.slice(1),
    {
      ...options,
      env: {
        ...Object.fromEntries(foreignOptions().map((name) => [name, undefined])),
        // k6 starts the servers of TARGET_COMMAND.
        PATH: callerPath(),
        // Go reads this file in addition to the folders with the system's authorities.
        ...(authority && { SSL_CERT_FILE: authority }),
        ...env,
      },
    },
    { onStart },
  );
  if (done.code !== OUT_OF_MEMORY) return done;
  // Replace Go's crash output by a message.
  const stderr = `k6 exceeded its memory limit of ${most} MiB: the target's answers or the test are too large (GENERATOR_MEMORY)`;
  logProgress(stderr);
  return { ...done, code: KILLED, stderr };
}
