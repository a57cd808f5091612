#!/usr/bin/env node
/**
 * Records the runs of runs.js: scripts/node tests/recorded/record.ts [NAME ...]. Without a name, it records those that are missing: ended in
 * the middle, it goes on where it was. It takes a native stack of its own, and a machine that has nothing else to do.
 */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { HostWatch } from '../../analysis/collect/host-watch-record.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import type { Run } from '../../analysis/judge/run.ts';
import { type LabStack, withLabStack } from '../../bench/lab-stack.js';
import { percent } from '../../contract/units.js';
import { setUp } from '../tool.js';
import { make } from './make.ts';
import { keepReadme } from './readme.ts';
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

/** What other programs use of this machine is not what is recorded. */
const COMMON = { MAX_BACKGROUND_CPU: '1' };

const OTHERS_MAX = 0.3;

/** @returns the share of the machine's CPU that other processes used while the fault began, at most */
function otherCpu(phases: Phase[], { cores, columns, points }: HostWatch): number {
  const used = (iso: string | null) =>
    points.findLast(([at_s]) => Number(at_s) * 1000 <= Date.parse(iso ?? ''))?.[columns.indexOf('other')] ??
    0;
  const shares = phases
    .filter(({ name }) => ['baseline', 'spike'].includes(name))
    .map(({ start, end }) => {
      const seconds = (Date.parse(end ?? '') - Date.parse(start ?? '')) / 1000;
      return (used(end) - used(start)) / seconds / cores;
    });
  return Math.max(0, ...shares);
}

/** Judges a run again, and records what Prometheus answers. */
async function record(lab: LabStack, name: string) {
  const entry = RUNS[name];
  if (!entry) throw new Error(`not in runs.js; valid: ${Object.keys(RUNS).join(', ')}`);
  // Of the stack and of all that is recorded.
  const folder = dirname(lab.runDir);
  const { code, output, folder: left } = await make(lab, entry, COMMON, join(folder, 'made', name));
  if (!left) throw new Error(`it left nothing: ${output}`);
  process.stderr.write(`${name}: ${/^VERDICT .*$/m.exec(output)?.[0]}\n`);
  const read = (file: string) => readFileSync(join(left, file), 'utf8');
  const { environment, variables, partial, phases }: Run = JSON.parse(read('run.json'));
  if (Boolean(partial) !== ('interrupt' in entry && entry.interrupt !== undefined))
    throw new Error(`${partial ? '' : 'not '}interrupted`);
  if ('table' in entry && entry.truth !== 'host_cpu') {
    const others = otherCpu(phases, JSON.parse(read('host-watch.json')));
    if (others > OTHERS_MAX) throw new Error(`other processes used ${percent(others)} of the machine's CPU`);
  }
  const told: Told = {
    testid: basename(left),
    k6Exit: Number(/k6 ended with exit code (\d+)/.exec(read('run.log'))?.[1] ?? code),
    server: JSON.parse(read('plan.json')).watched_server,
    settings: lab.stackEnv.TARGET_SETTINGS ?? '',
    k6Version: environment.k6,
    ...(variables && { variables }),
    on: environment,
  };
  Object.assign(process.env, {
    PROMETHEUS_USERNAME: 'lab',
    PROMETHEUS_PASSWORD: lab.secrets.PROMETHEUS_PASSWORD,
  });
  const again = join(folder, 'again', told.testid);
  cpSync(left, again, { recursive: true });
  const { result, answers } = await recording(() => judgedIn(again, told, lab.stackEnv.PROMETHEUS_URL ?? ''));
  if (result.code !== code) throw new Error(`judged ${code}, and then ${result.code}`);
  const paths = readdirSync(left, { recursive: true })
    .map(String)
    .filter((path) => INPUT.includes(basename(path)));
  const files = Object.fromEntries(paths.map((path) => [path, read(path)]));
  // Prometheus names the files of its rules, k6 those of its scripts.
  const recorded: Recorded = JSON.parse(
    JSON.stringify({ told, files, answers }).replaceAll(folder, '/run').replaceAll(process.cwd(), '/lab'),
  );
  const { golden } = await judgedAgain(recorded);
  for (const [file, text] of Object.entries(result.golden))
    if (text.replaceAll(folder, '/run').replaceAll(process.cwd(), '/lab') !== golden[file])
      throw new Error(`${file} is another one when it is judged again`);
  keep(name, recorded);
  keepGolden(name, golden);
  keepReadme();
  for (const each of [left, again]) rmSync(each, { recursive: true });
}

const wanted = process.argv.slice(2);
const names = wanted.length > 0 ? wanted : Object.keys(RUNS).filter((name) => !isRecorded(name));
setUp('k6', 'stack', 'toxiproxy', 'exporter', 'python-servers', 'bench-server', 'packet-loss');
// The target's certificate authority takes seconds, which are no test of anything.
process.env.AUTHORITY_LATENCY_MS = '100';
await withLabStack(async (lab) => {
  const failures: string[] = [];
  for (const name of names) {
    try {
      await record(lab, name);
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : error}`);
      process.stderr.write(`${failures.at(-1)}\n`);
    }
  }
  if (failures.length > 0) process.stderr.write(`\nnot recorded:\n${failures.join('\n')}\n`);
  return failures.length === 0;
});
