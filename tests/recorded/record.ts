#!/usr/bin/env node
/**
 * Records runs of tests at smoke size, for tests of how a run is judged: scripts/node tests/recorded/record.ts [NAME ...]. It takes a native
 * stack of its own, about 25 minutes for all of runs.js, and a machine that has nothing else to do.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { judge } from '../../analysis/judge.js';
import { command, envFile, prometheusAccess, startCommand } from '../lab.js';
import { stackIn } from '../own-stack.js';
import { UNDER_LOAD } from '../under-load.js';
import { keep, recording, type Told } from './recording.ts';
import { RUNS } from './runs.js';

/** What k6 and the watch of the machine left: all that the analysis reads. */
const LEFT = ['plan.json', 'measured.json', 'seconds.jsonl', 'host-watch.json', 'k6.log'];
/** Of every run; what an earlier one changed is taken back. */
const COMMON = { PROFILE: 'smoke', POOL_SIZE: 'default', WORKERS: 'default', TARGET_FAULTS: 'default' };

const folder = mkdtempSync(join(tmpdir(), 'recording-'));
stackIn(folder);

/** Others keep how they ended, and no more. */
const isOneRun = (test = '') => !existsSync(`experiments/${test}.js`);

/** One run of a test. @returns the folder that it left */
async function run(name: string): Promise<{ code: number | null; output: string; left: string }> {
  const { test, variables = {}, interruptAfterS } = RUNS[name] ?? {};
  const words = Object.entries({ ...COMMON, ...variables }).map(([key, value]) => `${key}=${value}`);
  let told = false;
  const { child, ended } = startCommand('scripts/run', [test ?? '', ...words], {}, (output) => {
    if (interruptAfterS === undefined || told || !UNDER_LOAD.test(output)) return;
    told = true;
    setTimeout(() => child.kill('SIGINT'), interruptAfterS * 1000);
  });
  const { code, output } = await ended;
  const left = /^results: (.*)$/m.exec(output)?.[1];
  if (!left) throw new Error(`${name} left nothing: ${output}`);
  return { code, output, left };
}

/** Judged once more, while it is written down what Prometheus answers. */
async function record(name: string) {
  const { code, output, left } = await run(name);
  const verdict = /^VERDICT .*$/m.exec(output)?.[0];
  process.stderr.write(`${name}: ${verdict}\n`);
  if (!isOneRun(RUNS[name]?.test)) {
    keep(name, { 'run.json': readFileSync(join(left, 'run.json'), 'utf8') });
    return;
  }
  const again = join(folder, 'again', basename(left));
  mkdirSync(again, { recursive: true });
  for (const file of LEFT.filter((one) => existsSync(join(left, one))))
    cpSync(join(left, file), join(again, file));
  const told: Told = {
    k6Exit: Number(/k6 ended with exit code (\d+)/.exec(readFileSync(join(left, 'run.log'), 'utf8'))?.[1]),
    server: 'reference',
    knobs: envFile('stack.env').TARGET_KNOBS ?? '',
    k6Version: JSON.parse(readFileSync(join(left, 'run.json'), 'utf8')).environment.k6,
  };
  Object.assign(process.env, prometheusAccess());
  const prometheus = envFile('stack.env').PROMETHEUS_URL ?? '';
  const { result, answers } = await recording(() =>
    judge({ directory: again, prometheus, print: () => {}, ...told }),
  );
  if (result !== code) throw new Error(`${name}: judged ${code}, and then ${result}`);
  const files = [...LEFT, 'run.json'].filter((file) => existsSync(join(again, file)));
  keep(name, {
    ...Object.fromEntries(files.map((file) => [file, readFileSync(join(again, file), 'utf8')])),
    'prometheus.json': JSON.stringify(answers),
    'told.json': JSON.stringify(told),
  });
}

try {
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(RUNS)) await record(name);
} finally {
  await command('scripts/clean', []);
  rmSync(folder, { recursive: true, force: true });
}
