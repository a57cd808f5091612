/** k6, with its limits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa, type Options, type ResultPromise } from 'execa';
import { type Ended, runForwardingSignals } from './child.ts';
import { logProgress } from './log-progress.ts';
import { totalMemory } from './machine.ts';
import { ROOT } from './stack.ts';
import { toolPath } from './tool-path.ts';

/** MiB for each VU: 0.6 of it live. With less room for garbage k6 does little else than collect it (docs/scale.md). */
export const MEMORY_OF_USER = 1;
/** Go's own code for a program that gets no more memory, of which k6 has none. */
const OUT_OF_MEMORY = 2;
export const KILLED = 137;

let found: { path: string; version: string } | undefined;

/** The program, and its version: of the project's own build the pinned one. */
export async function k6() {
  if (found) return found;
  const path = process.env.K6_FOUND || toolPath('k6');
  process.env.K6_FOUND = path;
  const said = path.includes('/k6-')
    ? /go\.k6\.io\/k6\/v2 .*/.exec(readFileSync(join(ROOT, 'xk6-mcp/go.mod'), 'utf8'))?.[0]
    : (await execa(path, ['version'], { stdin: 'ignore', reject: false })).stdout;
  found = { path, version: /\d+\.\d+\.\d+[\w.-]*/.exec(said ?? '')?.[0] ?? '' };
  return found;
}

/**
 * MiB that k6 may have, by default three quarters of the machine's: it takes an answer whole, and unpacks it. Without a limit a server
 * could have all the memory there is.
 */
function mostMemory(): number | undefined {
  if (process.env.GENERATOR_MEMORY) return Number(process.env.GENERATOR_MEMORY);
  const total = totalMemory();
  return total === undefined ? undefined : Math.floor((total * 3) / 4);
}

/**
 * How a load generator is tuned, and what it sends to Prometheus. Options of the remote write are k6's to read from its own environment,
 * not from the script's.
 *
 * @param users 0: not known
 */
export function generatorEnvironment(users: number): Record<string, string> {
  // From this much on it collects all the garbage it can: a quarter of the memory, or what its users need where that is more.
  const limit = Math.max(Math.floor((totalMemory() ?? 8192) / 4), users * MEMORY_OF_USER);
  return {
    // Native histograms. Enabled by a variable or a flag of k6, each series would get a label k6_feature_native_histograms.
    K6_CONFIG: join(ROOT, 'provisioning/k6.json'),
    K6_PROMETHEUS_RW_STALE_MARKERS: 'true',
    K6_PROMETHEUS_RW_PUSH_INTERVAL: '2s',
    // A fifth of the collections, for a sixth less CPU a request; from the limit on, as many as it takes.
    GOGC: process.env.GOGC || '400',
    GOMEMLIMIT: process.env.GOMEMLIMIT || `${limit}MiB`,
  };
}

/** Set by the project's own commands. All other options of the caller's environment, as K6_INSECURE_SKIP_TLS_VERIFY, would change a run unseen. */
const TAKEN_OPTIONS = ['K6_AUTO_EXTENSION_RESOLUTION', 'K6_NO_USAGE_REPORT', 'K6_NO_CONNECTION_REUSE'];

const foreignOptions = () =>
  Object.keys(process.env).filter((name) => name.startsWith('K6_') && !TAKEN_OPTIONS.includes(name));

/** What k6 leaves in a folder: measured.json at the end, seconds.jsonl meanwhile. */
export const labOutput = (folder: string) => ['--summary-mode=disabled', '--out', `lab=${folder}`];

/** @param env on top of this program's */
export async function runK6(
  args: readonly string[],
  { env = {}, ...options }: Options & { env?: Record<string, string> } = {},
  onStart?: (child: ResultPromise) => void,
): Promise<Ended> {
  const { path } = await k6();
  const { SECRET_SOURCE: secrets, TARGET_CA: authority } = { ...process.env, ...env };
  // No environment variable names k6's secret source.
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
        // Go reads it and the folders of the system's own authorities.
        ...(authority && { SSL_CERT_FILE: authority }),
        ...env,
      },
    },
    { onStart },
  );
  if (done.code !== OUT_OF_MEMORY) return done;
  // What Go says of its last moments is for Go's makers.
  const stderr = `k6 got no more memory than ${most} MiB and ended: the target's answers are too large, or the test is (GENERATOR_MEMORY)`;
  logProgress(stderr);
  return { ...done, code: KILLED, stderr };
}
