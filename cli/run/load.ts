/** Runs k6 once for a test, with the stack up. */
import { accessSync, constants, mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa, type ResultPromise } from 'execa';
import { INTERRUPTED } from '../../analysis/judge/verdict.ts';
import { logLine } from '../../analysis/run-log.ts';
import { freePort, hiddenHost } from '../../contract/free-port.js';
import { oneLine } from '../../contract/one-line.js';
import { BY_SIGNAL, interrupted } from '../child.ts';
import { generatorEnvironment, labOutput, runK6 } from '../k6.ts';
import { logProgress } from '../log-progress.ts';
import { ROOT } from '../stack.ts';
import { Undo } from '../undo.ts';
import { BoundedLog } from './bounded-log.ts';
import { type Plan, scriptPath } from './inspect.ts';
import { tellProgress } from './progress.ts';
import { scrape } from './watch.ts';

/**
 * Exit codes after INT and TERM. Ctrl-C also reaches a child process that has no process group of its own
 * yet.
 */
const BY_THE_SAME_SIGNAL = [130, 143];
/** Number of final lines to show that are not k6 log lines, such as a Go crash. */
const LAST_WORDS = 5;

export interface Load {
  test: string;
  /** Results folder of this k6 run. */
  folder: string;
  testid: string;
  /** Maximum concurrent VUs; 0 = unknown. */
  vus: number;
  /** For the progress line; null = the length is unknown, as in a trial. */
  plan: Plan | null;
  /** Set for a trial, one of several k6 runs of a test. */
  trial?: {
    /** Address of k6's API, host:port. */
    address: string;
    /** Its variables. */
    env: Record<string, string>;
    /** Ends k6, as Ctrl-C would. */
    stop: AbortSignal;
  };
}

/** @returns k6's exit code */
export async function load({ test, folder, testid, vus, plan, trial }: Load): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const name = basename(folder);
  const {
    PROMETHEUS_URL,
    PROMETHEUS_USERNAME,
    PROMETHEUS_PASSWORD = '',
    K6_LISTEN_HOST,
    K6_ADDRESS,
  } = process.env;
  // The benches set the address to follow a run.
  const api = trial?.address ?? (K6_ADDRESS || `${K6_LISTEN_HOST || hiddenHost()}:${await freePort()}`);
  const log = new BoundedLog(join(folder, 'k6.log'));
  const crash: string[] = [];
  // Without its own summary k6 stores no samples in memory.
  const outputs = [...labOutput(folder), '--out', 'experimental-prometheus-rw'];
  logLine(`${name}: k6 starts`);
  let code = INTERRUPTED;
  const undo = new Undo();
  try {
    undo.add(watchHost(folder, trial?.env));
    undo.add(scrapeK6(api, `k6-${testid}-${name}.json`, testid));
    const over = new AbortController();
    undo.add(() => over.abort());
    // Not awaited: it ends with the run.
    void tellProgress(folder, plan, over.signal);
    if (!interrupted()) {
      const done = await runK6(
        ['run', '--address', api, ...outputs, scriptPath(test)],
        {
          stdout: 'ignore',
          buffer: false,
          env: {
            ...generatorEnvironment(vus),
            ...trial?.env,
            TESTID: testid,
            K6_PROMETHEUS_RW_SERVER_URL: `${PROMETHEUS_URL}/api/v1/write`,
            ...(PROMETHEUS_USERNAME && {
              K6_PROMETHEUS_RW_USERNAME: PROMETHEUS_USERNAME,
              K6_PROMETHEUS_RW_PASSWORD: PROMETHEUS_PASSWORD,
            }),
          },
        },
        (child) => {
          trial?.stop.addEventListener('abort', () => child.kill('SIGINT'));
          listen(child, (line) => {
            if (/^time=\S+ level=(error|fatal|panic) /.test(line)) log.add(line);
            else if (!line.startsWith('time=') && crash.length < LAST_WORDS) crash.push(line);
          });
        },
      );
      code = done.code;
    }
  } finally {
    log.close();
    await undo.all();
  }
  if (code > 0 && code < 90) for (const line of crash) logProgress(oneLine(line, 500));
  logLine(`${name}: k6 ended with exit code ${code}`);
  if (code >= BY_SIGNAL) await cleanUp(test, folder, trial?.env);
  return interrupted() ? codeOfInterrupted(code) : code;
}

/** Maps the exit codes of k6 after a signal killed it: before k6 handles signals, or the second signal. */
export const codeOfInterrupted = (code: number) => (BY_THE_SAME_SIGNAL.includes(code) ? INTERRUPTED : code);

function listen(child: ResultPromise, take: (line: string) => void) {
  if (child.stderr) createInterface({ input: child.stderr }).on('line', take);
}

/** Makes the stack's Prometheus scrape k6, if it can reach it, until the returned function is called. */
function scrapeK6(api: string, file: string, testid: string): () => void {
  if (process.env.K6_SCRAPE_HOST === 'none') return () => {};
  const at = api.lastIndexOf(':');
  const target = `${process.env.K6_SCRAPE_HOST || api.slice(0, at)}${api.slice(at)}`;
  return scrape([{ targets: [target], labels: { testid } }], file);
}

/** Records the CPU usage of other programs. @returns a function that writes the record and stops */
function watchHost(folder: string, env?: Record<string, string>): () => Promise<void> {
  try {
    accessSync('/proc/self/schedstat', constants.R_OK);
  } catch {
    return async () => {};
  }
  const errors = join(folder, 'host-watch.log');
  const program = join(ROOT, 'analysis/collect/host-watch.ts');
  const args = [program, join(folder, 'host-watch.json'), String(process.pid)];
  const watcher = execa('node', args, {
    env,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: { file: errors },
    detached: true,
    reject: false,
  });
  return async () => {
    watcher.kill('SIGTERM');
    await watcher;
    if (statSync(errors, { throwIfNoEntry: false })?.size === 0) rmSync(errors);
  };
}

/**
 * Cleans up after a signal killed k6. Otherwise k6 itself has cleaned up. Does nothing for tests without
 * clean-up.
 */
async function cleanUp(test: string, folder: string, env?: Record<string, string>) {
  const file = join(folder, 'clean-up.log');
  const log = ['--log-output', `file=${file},level=error`];
  const { code } = await runK6(['run', '--quiet', '--address', '', ...log, scriptPath(test)], {
    stdout: 'ignore',
    stderr: 'ignore',
    env: { ...env, CLEAN_UP: '1', DRY_RUN: '1' },
  });
  if (code !== 0) logLine(`${basename(folder)}: the clean-up failed`);
}
