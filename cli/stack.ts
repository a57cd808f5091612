/** Access to the stack: scripts/up starts it and writes its addresses to $RUN_DIR/stack.env. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { leaveWhereInterrupted, runForwardingSignals, runOrExit } from './child.ts';
import { broken, Ending, quotable, USAGE, usage } from './ending.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const KINDS = ['native', 'external'];

/** Makes the two folders absolute, because child processes have other working directories. */
export function takePlaces() {
  process.env.ROOT = ROOT;
  process.env.RUN_DIR = resolve(process.env.RUN_DIR || join(ROOT, '.run'));
  if (/['"\\\n]/.test(process.env.RUN_DIR))
    throw usage(
      `RUN_DIR is "${quotable(process.env.RUN_DIR)}"; valid: a path without quotes, backslashes or line breaks`,
    );
}

export const runFolder = () => process.env.RUN_DIR ?? '';
export const resultsFolder = () => resolve(process.env.RESULTS_DIR || join(ROOT, 'results'));
export const baselinesFolder = () => resolve(process.env.BASELINES_DIR || join(ROOT, 'baselines'));

/** Reads `NAME=value` lines, with optional quotes; {} if the file does not exist. */
function valuesIn(file: string): Record<string, string> {
  const path = join(runFolder(), file);
  if (!existsSync(path)) return {};
  const lines = readFileSync(path, 'utf8').matchAll(/^([A-Z0-9_]+)=('?)(.*)\2$/gm);
  return Object.fromEntries([...lines].map(([, name = '', , value = '']) => [name, value]));
}

/** A value of the running stack; '' if there is none. */
export const stackValue = (name: string): string => valuesIn('stack.env')[name] ?? '';

/** `native`, or `external` for a stack that this project did not start. (scripts/lab detects Docker.) */
export function stackKind(): string {
  const kind = process.env.STACK || stackValue('STACK') || 'native';
  if (!KINDS.includes(kind)) throw usage(`STACK is "${quotable(kind)}"; valid: native, docker, external`);
  return kind;
}

/** Runs functions of scripts/common.sh. @throws {Ending} with their error output */
export async function common(script: string): Promise<string> {
  const { code, stdout, stderr } = await runForwardingSignals(
    'bash',
    ['-c', `. scripts/common.sh; ${script}`],
    {
      cwd: ROOT,
    },
  );
  leaveWhereInterrupted();
  if (code !== 0) throw new Ending(stderr.replace(/^error: /, ''), code === USAGE ? USAGE : 1);
  return stdout;
}

/** Creates RUN_DIR and marks it as the stack's. */
export const ownRunFolder = () => common('own_run_dir');
export const checkRunFolder = () => common('check_run_dir');

export const setUp = (...needs: string[]) => runOrExit(join(ROOT, 'scripts/setup'), needs);

/** @param part observe: only the monitoring, without the reference target */
export const bringUp = async (part?: 'observe') => {
  await runOrExit(join(ROOT, 'scripts/up'), part ? [part] : []);
  loadStack();
};

/**
 * Loads the stack's addresses into the environment. An existing TARGET_URL is kept. The reference target's
 * token is set only for that target. WATCHED_SERVER is the server whose signals belong to this run.
 */
export function loadStack() {
  const asked = process.env.TARGET_URL ?? '';
  const stack = valuesIn('stack.env');
  const secrets = valuesIn('secrets.env');
  if (Object.keys(stack).length === 0) throw broken('no stack is running; start one with: make up');
  Object.assign(process.env, stack, { WATCHED_SERVER: '' });
  // An external Prometheus is queried with the credentials in the environment.
  if (stack.STACK !== 'external') {
    Object.assign(process.env, {
      PROMETHEUS_USERNAME: 'lab',
      PROMETHEUS_PASSWORD: secrets.PROMETHEUS_PASSWORD ?? '',
    });
    // Expose k6's API to other machines only if Prometheus is on one.
    for (const name of ['K6_LISTEN_HOST', 'K6_SCRAPE_HOST']) delete process.env[name];
  }
  if (asked !== '' && asked !== stack.TARGET_URL) process.env.TARGET_URL = asked;
  else if (stack.TARGET_URL)
    Object.assign(process.env, { WATCHED_SERVER: 'reference', TARGET_TOKEN: secrets.TARGET_TOKEN ?? '' });
}
