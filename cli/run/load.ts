/** One k6 run of a test whose stack is up. */
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

/** INT and TERM. Ctrl-C reaches a child, too, until that has a process group of its own. */
const BY_THE_SAME_SIGNAL = [130, 143];
/** Lines that are no log of k6: Go's last words. */
const LAST_WORDS = 5;

export interface Load {
  test: string;
  /** Of the results of this k6 run. */
  folder: string;
  testid: string;
  /** The most VUs at one time; 0: unknown. */
  vus: number;
  /** For the progress line; null: its length is not known, as in a trial. */
  plan: Plan | null;
  /** What only a trial, one of several k6 runs of a test, has. */
  trial?: {
    /** Of k6's API, host:port. */
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
  // The benches follow a run by the address that they choose.
  const api = trial?.address ?? (K6_ADDRESS || `${K6_LISTEN_HOST || hiddenHost()}:${await freePort()}`);
  const log = new BoundedLog(join(folder, 'k6.log'));
  const crash: string[] = [];
  // Without a summary of its own k6 keeps no sample in memory.
  const outputs = [...labOutput(folder), '--out', 'experimental-prometheus-rw'];
  logLine(`${name}: k6 starts`);
  let code = INTERRUPTED;
  const undo = new Undo();
  try {
    undo.add(watchHost(folder, trial?.env));
    undo.add(scrapeK6(api, `k6-${testid}-${name}.json`, testid));
    const over = new AbortController();
    undo.add(() => over.abort());
    // It ends by itself, and nobody waits for its last question.
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

/** Of a signal that came before k6 listened, or twice, k6 is not there to say with its own code that somebody ended it. */
export const codeOfInterrupted = (code: number) => (BY_THE_SAME_SIGNAL.includes(code) ? INTERRUPTED : code);

function listen(child: ResultPromise, take: (line: string) => void) {
  if (child.stderr) createInterface({ input: child.stderr }).on('line', take);
}

/** Has the stack's Prometheus scrape k6 itself, if it can reach k6, until the returned function is called. */
function scrapeK6(api: string, file: string, testid: string): () => void {
  if (process.env.K6_SCRAPE_HOST === 'none') return () => {};
  const at = api.lastIndexOf(':');
  const target = `${process.env.K6_SCRAPE_HOST || api.slice(0, at)}${api.slice(at)}`;
  return scrape([{ targets: [target], labels: { testid } }], file);
}

/** Who else uses this machine meanwhile. @returns writes what it has, and ends it */
function watchHost(folder: string, env?: Record<string, string>): () => Promise<void> {
  try {
    accessSync('/proc/self/schedstat', constants.R_OK);
  } catch {
    return async () => {};
  }
  const said = join(folder, 'host-watch.log');
  const program = join(ROOT, 'analysis/collect/host-watch.ts');
  const args = [program, join(folder, 'host-watch.json'), String(process.pid)];
  const watcher = execa('node', args, {
    env,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: { file: said },
    detached: true,
    reject: false,
  });
  return async () => {
    watcher.kill('SIGTERM');
    await watcher;
    if (statSync(said, { throwIfNoEntry: false })?.size === 0) rmSync(said);
  };
}

/** k6 cleans up at its end, unless a signal ended it; then this does. (Of a test that leaves nothing behind it is nothing.) */
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
