#!/usr/bin/env node
/**
 * Records the runs of runs.js: scripts/node tests/recorded/record.ts [NAME ...]. Without a name, it records those that are missing: ended in
 * the middle, it goes on where it was. It takes a native stack of its own, and a machine that has nothing else to do.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { command, envFile, prometheusAccess, startCommand } from '../lab.js';
import { stackIn } from '../own-stack.js';
import { UNDER_LOAD } from '../under-load.js';
import {
  INPUT,
  isRecorded,
  judgedAgain,
  judgedIn,
  keep,
  keepGolden,
  type Recorded,
  recording,
  type Told,
} from './recording.ts';
import { RUNS } from './runs.js';

/** Of every run; what an earlier one changed is taken back. */
const COMMON = { PROFILE: 'smoke', POOL_SIZE: 'default', WORKERS: 'default', TARGET_FAULTS: 'default' };

const folder = mkdtempSync(join(tmpdir(), 'recording-'));
stackIn(folder);

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

/** Judges it again, while it is written down what Prometheus answers. */
async function record(name: string) {
  const { code, output, left } = await run(name);
  process.stderr.write(`${name}: ${/^VERDICT .*$/m.exec(output)?.[0]}\n`);
  const { environment, variables } = JSON.parse(readFileSync(join(left, 'run.json'), 'utf8'));
  const told: Told = {
    testid: basename(left),
    k6Exit: Number(
      /k6 ended with exit code (\d+)/.exec(readFileSync(join(left, 'run.log'), 'utf8'))?.[1] ?? code,
    ),
    server: 'reference',
    knobs: envFile('stack.env').TARGET_KNOBS ?? '',
    k6Version: environment.k6,
    ...(variables && { variables }),
    on: environment,
  };
  Object.assign(process.env, prometheusAccess());
  const again = join(folder, 'again', told.testid);
  cpSync(left, again, { recursive: true });
  const { result, answers } = await recording(() =>
    judgedIn(again, told, envFile('stack.env').PROMETHEUS_URL ?? ''),
  );
  if (result.code !== code) throw new Error(`${name}: judged ${code}, and then ${result.code}`);
  const paths = readdirSync(left, { recursive: true })
    .map(String)
    .filter((path) => INPUT.includes(basename(path)));
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(left, path), 'utf8')]));
  // Prometheus names the files of its rules, k6 those of its scripts.
  const recorded: Recorded = JSON.parse(
    JSON.stringify({ told, files, answers }).replaceAll(folder, '/run').replaceAll(process.cwd(), '/lab'),
  );
  const { golden } = await judgedAgain(recorded);
  for (const [file, text] of Object.entries(result.golden))
    if (text !== golden[file]) throw new Error(`${name}: ${file} is another one when it is judged again`);
  keep(name, recorded);
  keepGolden(name, golden);
}

const wanted = process.argv.slice(2);
const names = wanted.length > 0 ? wanted : Object.keys(RUNS).filter((name) => !isRecorded(name));
try {
  for (const name of names) await record(name);
} finally {
  await command('scripts/clean', []);
  rmSync(folder, { recursive: true, force: true });
}
