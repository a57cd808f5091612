/** Runs a test with the variables of A and of B in alternation, and compares the results. */
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { targetSettings } from '../../analysis/collect/target-settings.ts';
import { checkRuns } from '../../analysis/compare/check-runs.ts';
import { CompareError } from '../../analysis/compare/compare-error.ts';
import { compareRuns } from '../../analysis/compare/compare-runs.ts';
import { optionsOf } from '../../analysis/compare/options.ts';
import { INTERRUPTED } from '../../analysis/judge/verdict.ts';
import { ConfigError } from '../../contract/config-error.js';
import { seededRandom } from '../../contract/seeded-random.js';
import { positiveInteger } from '../../contract/types.js';
import { counted, duration } from '../../contract/units.js';
import { readVariables } from '../../contract/variable.js';
import { ofCommand } from '../../contract/variables.js';
import { VARIABLES } from '../../target/config.js';
import type { Variable } from '../../target/environment.js';
import { interrupted, leaveWhereInterrupted, runForwardingSignals } from '../child.ts';
import { quotable, usage } from '../ending.ts';
import { logProgress } from '../log-progress.ts';
import { checkTest } from '../run/run.ts';
import { baselinesFolder, ROOT, resultsFolder, stackValue } from '../stack.ts';
import { rounds } from '../trials/rounds.ts';
import { readWords, takeWords } from '../variables.ts';
import { comparisonFolder } from './compare.ts';

const NAMES = ['A', 'B'] as const;
/** Exit codes after which every further run fails the same way: usage error, no target. */
const HOPELESS = [2, 3];
/** Variables that must be the same for both sides: they locate the runs. */
const COMMON = ['RESULTS_DIR', 'RUN_DIR', 'STACK'];

type Name = (typeof NAMES)[number];
type Variables = Record<string, string>;
type Sides = Record<Name, Variables>;
/** The ids of the runs that left results. */
type TestIds = Record<Name, string[]>;
/** Starts the target of a side and returns the environment of its run. */
type Start = (side: Variables) => Promise<Variables>;

/** Runs a command of the project, with env added to the environment of this process. */
async function sh([file = '', ...args]: string[], env: Variables): Promise<{ code: number; output: string }> {
  const { code, all } = await runForwardingSignals(join(ROOT, file), args, { all: true, env });
  return { code, output: all };
}

/** @throws with the last line of the output if the command fails, {Ending} after a signal */
async function must(command: string[], env: Variables) {
  const { code, output } = await sh(command, env);
  leaveWhereInterrupted();
  if (code !== 0) throw new Error(`${command[0]}: ${lastLine(output).replace(/^error: /, '')}`);
}

const lastLine = (output: string) => output.trim().split('\n').at(-1) ?? '';

/** NAME=value words, quoted as in a shell. */
async function sideOf(name: Name): Promise<Variables> {
  const text = process.env[name] ?? '';
  const { failed, stdout } = await execa('xargs', ['-n', '1', 'printf', '%s\n'], {
    input: text,
    reject: false,
  });
  if (failed) throw usage(`${name} is "${quotable(text)}"; valid: NAME=value words, quoted as in a shell`);
  const side = text.trim() === '' ? {} : readWords('run', stdout.split('\n'));
  const common = COMMON.find((variable) => variable in side);
  if (common) throw new CompareError(`${name} has ${common}; valid: ${common} outside of A and B, for both`);
  check(name, side);
  return side;
}

/**
 * Checks a side before anything starts. Only k6 can check some values, such as names in a workload; it does
 * so in the first run.
 *
 * @throws {CompareError}
 */
function check(name: Name, side: Variables) {
  for (const [variable, value] of Object.entries(side)) {
    const setting = (VARIABLES as Record<string, Variable>)[variable];
    if (setting && value !== 'default' && setting.parse(value) === undefined)
      throw new CompareError(
        `${name} has ${variable}=${value.slice(0, 80)}; valid: ${setting.valid}, default`,
      );
  }
  try {
    readVariables(ofCommand.run ?? {}, { ...process.env, ...side });
  } catch (error) {
    throw error instanceof ConfigError ? new CompareError(`${name}: ${error.message}`) : error;
  }
}

/** Describes a side without the values of secrets. */
function described(name: Name, side: Variables): string {
  const words = Object.entries(side).map(([variable, value]) => {
    return `${variable}=${ofCommand.run?.[variable]?.secret ? '***' : value}`;
  });
  return words.length > 0 ? `${name}: ${words.join(' ')}` : name;
}

const variable = (name: string, fallback: string) => process.env[name] || fallback;

export async function compareAb(words: readonly string[]): Promise<number> {
  takeWords('compare-ab', words);
  const test = variable('TEST', 'baseline');
  checkTest(test, 'TEST');
  const runs = positiveInteger.parse(variable('RUNS', '5'));
  if (!runs)
    throw new CompareError(`RUNS is "${variable('RUNS', '').slice(0, 80)}"; valid: a whole number above 0`);
  const seed = positiveInteger.parse(variable('SEED', '1'));
  if (!seed)
    throw new CompareError(`SEED is "${variable('SEED', '').slice(0, 80)}"; valid: a whole number above 0`);
  checkRuns({ head: runs, ...optionsOf(process.env) });
  const sides = { A: await sideOf('A'), B: await sideOf('B') };
  if (JSON.stringify(Object.entries(sides.A).sort()) === JSON.stringify(Object.entries(sides.B).sort()))
    throw new CompareError(
      'A and B are the same; valid: two sides that differ, as in A="WORKERS=2" B="WORKERS=1"',
    );
  const testids: TestIds = { A: [], B: [] };
  const code = await withTarget(sides, (start) => runAll({ test, runs, seed, sides, testids, start }));
  if (code !== 0) return code;
  return compared(sides, testids);
}

/**
 * Lets work restart the reference target with the settings of a side, and always restores its own settings.
 */
async function withTarget(sides: Sides, work: (start: Start) => Promise<number>): Promise<number> {
  const isReference = (side: Variables) => !(side.TARGET_URL ?? process.env.TARGET_URL);
  if (!Object.values(sides).some(isReference)) return work(async (side) => side);
  await must(['scripts/up'], {});
  const before = Object.fromEntries(
    stackValue('TARGET_SETTINGS')
      .split(' ')
      .filter((setting) => setting !== '')
      .map((setting) => setting.split('=')),
  );
  const changed = Object.keys(targetSettings('')).filter((setting) =>
    Object.values(sides).some((side) => setting in side),
  );
  // `default` unsets a setting, so that a change for one side does not remain for the other.
  const own = Object.fromEntries(changed.map((setting) => [setting, before[setting] ?? 'default']));
  try {
    return await work(async (side) => {
      if (!isReference(side)) return side;
      const env = { ...own, ...side };
      await must(['scripts/fresh-target'], env);
      return env;
    });
  } finally {
    const { code, output } = await sh(['scripts/up'], own);
    if (code !== 0) logProgress(`could not restore the settings of the target: ${lastLine(output)}`);
  }
}

interface Plan {
  test: string;
  /** Runs of each side. */
  runs: number;
  seed: number;
  sides: Sides;
  /** Filled by runAll. */
  testids: TestIds;
  start: Start;
}

/** Returns 0, or the exit code to end with. */
async function runAll({ test, runs, seed, sides, testids, start }: Plan): Promise<number> {
  const order = rounds(NAMES, runs, seededRandom(seed)).flat();
  const startedMs = Date.now();
  logProgress(
    `${test}: ${counted(runs, 'run')} of ${described('A', sides.A)} and of ${described('B', sides.B)}, in turn`,
  );
  for (const [index, name] of order.entries()) {
    const env = await start(sides[name]);
    const { code, output } = await sh(['scripts/run', test], {
      THRESHOLDS: variable('THRESHOLDS', 'off'),
      RUNS: '',
      ...env,
    });
    if (interrupted()) {
      logProgress('interrupted');
      return INTERRUPTED;
    }
    if (HOPELESS.includes(code)) {
      logProgress(`${name}: ${lastLine(output)}`);
      return code;
    }
    const folder = /^results: (.*)$/m.exec(output)?.[1];
    if (folder) testids[name].push(basename(folder));
    const verdict = /^VERDICT (.*)$/m.exec(output)?.[1] ?? `exit code ${code}: ${lastLine(output)}`;
    const left = ((Date.now() - startedMs) / 1000 / (index + 1)) * (order.length - index - 1);
    const rest = left > 0 ? `, about ${duration(Math.round(left))} left` : '';
    logProgress(
      `${index + 1} of ${order.length}: ${name} ${verdict}${folder ? `, ${basename(folder)}` : ''}${rest}`,
    );
  }
  return 0;
}

/** Returns the exit code of the comparison. */
function compared(sides: Sides, testids: TestIds): number {
  const empty = NAMES.find((name) => testids[name].length === 0);
  if (empty) throw new Error(`no run of ${empty} left results`);
  return compareRuns(
    comparisonFolder(),
    { results: resultsFolder(), baselines: baselinesFolder() },
    {
      ...process.env,
      BASE: testids.A.join(','),
      HEAD: testids.B.join(','),
      BASE_NAME: described('A', sides.A),
      HEAD_NAME: described('B', sides.B),
    },
  );
}
