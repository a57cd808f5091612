/**
 * `make compare-ab`: runs a test with A's variables and with B's, in turn, and compares the two. `scripts/compare-ab` calls it,
 * with A and B as lines of NAME=value that are known to be valid.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CompareError } from '../analysis/compare/compare-error.js';
import { exitWith } from '../analysis/compare/exit.js';
import { optionsOf } from '../analysis/compare/options.js';
import { targetKnobs } from '../analysis/target-knobs.js';
import { counted, duration } from '../analysis/units.js';
import { INTERRUPTED } from '../analysis/verdict.js';
import { rounds } from '../experiments/rounds.js';
import { seededRandom } from '../experiments/seeded-random.js';
import { variables } from '../lib/config.js';
import { ConfigError } from '../lib/config-error.js';
import { positiveInteger, readVariables } from '../lib/variable.js';
import { VARIABLES } from '../target/config.js';

/** @typedef {'A' | 'B'} Name */
/** @typedef {Record<string, string>} Variables */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Exit codes of a run after which the next would end the same way: usage, no target. */
const HOPELESS = [2, 3];
/** Variables that both sides have in common, or none of them could find the other's runs. */
const COMMON = ['RESULTS_DIR', 'RUN_DIR', 'STACK'];

/** Process group of what runs. @type {number | null} */
let running = null;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = true;
    // k6 ends its users' requests and runs its teardown; a second signal would not let it.
    if (running !== null) signalGroup(running);
    running = null;
  });
}

/** @param {number} group */
function signalGroup(group) {
  try {
    process.kill(-group, 'SIGINT');
  } catch {
    // It has ended by itself.
  }
}

/** @param {string} text progress, on stderr */
const say = (text) => process.stderr.write(`${text}\n`);

/**
 * @param {string[]} command of the project
 * @param {Variables} env on top of this process's
 * @returns {Promise<{code: number, output: string}>}
 */
function sh([file = '', ...args], env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(join(ROOT, file), args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: it is told to end by us, and then all of it.
      detached: true,
    });
    running = child.pid ?? null;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      running = null;
      resolve({ code: code ?? 1, output });
    });
  });
}

/**
 * @param {string[]} command
 * @param {Variables} env
 * @throws {Error} with the last line that it said, where it fails
 */
async function must(command, env) {
  const { code, output } = await sh(command, env);
  if (code !== 0 && !interrupted)
    throw new Error(`${command[0]}: ${lastLine(output).replace(/^error: /, '')}`);
}

/** @param {string} output */
const lastLine = (output) => output.trim().split('\n').at(-1) ?? '';

/** @param {Name} name @returns {Variables} */
function sideOf(name) {
  const lines = (process.env[name] ?? '').split('\n').filter((line) => line !== '');
  const side = Object.fromEntries(
    lines.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]),
  );
  const common = COMMON.find((variable) => variable in side);
  if (common) throw new CompareError(`${name} has ${common}; valid: ${common} for both, outside of A and B`);
  check(name, side);
  return side;
}

/**
 * Before anything is started. What only k6 can check, as a workload's names, the first run does.
 *
 * @param {Name} name
 * @param {Variables} side
 * @throws {CompareError}
 */
function check(name, side) {
  for (const [variable, value] of Object.entries(side)) {
    const knob = /** @type {Record<string, import('../target/environment.js').Variable>} */ (VARIABLES)[
      variable
    ];
    if (knob && value !== 'default' && knob.parse(value) === undefined)
      throw new CompareError(`${name} has ${variable}=${value.slice(0, 80)}; valid: ${knob.valid}, default`);
  }
  try {
    readVariables(variables, { ...process.env, ...side });
  } catch (error) {
    throw error instanceof ConfigError ? new CompareError(`${name}: ${error.message}`) : error;
  }
}

/** @param {Name} name @param {Variables} side @returns {string} without a secret */
function described(name, side) {
  const words = Object.entries(side).map(([variable, value]) => {
    const known = /** @type {Record<string, object>} */ (variables)[variable] ?? {};
    return `${variable}=${'secret' in known ? '***' : value}`;
  });
  return words.length > 0 ? `${name}: ${words.join(' ')}` : name;
}

/** @returns {string} knobs of the reference target that runs and are not at their defaults */
function knobsThatRun() {
  const file = join(process.env.RUN_DIR ?? '', 'stack.env');
  return existsSync(file) ? (/^TARGET_KNOBS='?(.*?)'?$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '') : '';
}

/** @param {string} name @param {string} fallback @returns {string} a variable's value, where it is set */
const given = (name, fallback) => process.env[name] || fallback;

await exitWith(async () => {
  const test = given('TEST', 'baseline');
  const tests = readdirSync(join(ROOT, 'scenarios')).map((file) => file.replace(/\.js$/, ''));
  if (!tests.includes(test))
    throw new CompareError(`TEST is "${test.slice(0, 80)}"; valid: ${tests.join(', ')}`);
  const runs = positiveInteger(given('RUNS', '5'));
  if (!runs)
    throw new CompareError(`RUNS is "${given('RUNS', '').slice(0, 80)}"; valid: a whole number above 0`);
  const seed = positiveInteger(given('SEED', '1'));
  if (!seed)
    throw new CompareError(`SEED is "${given('SEED', '').slice(0, 80)}"; valid: a whole number above 0`);
  optionsOf(process.env);
  const sides = { A: sideOf('A'), B: sideOf('B') };
  if (JSON.stringify(Object.entries(sides.A).sort()) === JSON.stringify(Object.entries(sides.B).sort()))
    throw new CompareError(
      'A and B are the same; valid: two sides that differ, as in A="WORKERS=2" B="WORKERS=1"',
    );
  /** @type {Record<Name, string[]>} */
  const testids = { A: [], B: [] };
  const code = await withTarget(sides, (start) => runAll({ test, runs, seed, sides, testids, start }));
  if (code !== 0) return code;
  return compared(sides, testids);
});

/**
 * Hands on a way to start the reference target anew with a side's knobs, and gives it its own back, whatever happens.
 *
 * @param {Record<Name, Variables>} sides
 * @param {(start: (side: Variables) => Promise<Variables>) => Promise<number>} work start returns the side's environment
 * @returns {Promise<number>}
 */
async function withTarget(sides, work) {
  const isReference = (/** @type {Variables} */ side) => !(side.TARGET_URL ?? process.env.TARGET_URL);
  if (!Object.values(sides).some(isReference)) return work(async (side) => side);
  await must(['scripts/up'], {});
  const before = Object.fromEntries(
    knobsThatRun()
      .split(' ')
      .filter((knob) => knob !== '')
      .map((knob) => knob.split('=')),
  );
  const changed = Object.keys(targetKnobs('')).filter((knob) =>
    Object.values(sides).some((side) => knob in side),
  );
  // `default` is the knob as if it had never been set: what one side changes is not left to the other.
  const own = Object.fromEntries(changed.map((knob) => [knob, before[knob] ?? 'default']));
  try {
    return await work(async (side) => {
      if (!isReference(side)) return side;
      const env = { ...own, ...side };
      await must(['scripts/fresh-target'], env);
      return env;
    });
  } finally {
    const { code, output } = await sh(['scripts/up'], own);
    if (code !== 0) say(`the target could not be given its knobs back: ${lastLine(output)}`);
  }
}

/**
 * @param {object} all
 * @param {string} all.test
 * @param {number} all.runs
 * @param {number} all.seed
 * @param {Record<Name, Variables>} all.sides
 * @param {Record<Name, string[]>} all.testids gets those of the runs that left results
 * @param {(side: Variables) => Promise<Variables>} all.start
 * @returns {Promise<number>} 0, or the exit code to end with
 */
async function runAll({ test, runs, seed, sides, testids, start }) {
  const order = rounds(/** @type {Name[]} */ (['A', 'B']), runs, seededRandom(seed)).flat();
  const startedMs = Date.now();
  say(
    `${test}: ${counted(runs, 'run')} of ${described('A', sides.A)} and of ${described('B', sides.B)}, in turn`,
  );
  for (const [index, name] of order.entries()) {
    const env = await start(sides[name]);
    const { code, output } = interrupted
      ? { code: INTERRUPTED, output: '' }
      : await sh(['scripts/run', test], { OBJECTIVES: given('OBJECTIVES', 'off'), ...env });
    if (interrupted) {
      say('interrupted');
      return INTERRUPTED;
    }
    if (HOPELESS.includes(code)) {
      say(`${name}: ${lastLine(output)}`);
      return code;
    }
    const folder = /^results: (.*)$/m.exec(output)?.[1];
    if (folder) testids[name].push(basename(folder));
    const verdict = /^VERDICT (.*)$/m.exec(output)?.[1] ?? `exit code ${code}: ${lastLine(output)}`;
    const left = ((Date.now() - startedMs) / 1000 / (index + 1)) * (order.length - index - 1);
    const rest = left > 0 ? `, about ${duration(Math.round(left))} left` : '';
    say(`${index + 1} of ${order.length}: ${name} ${verdict}${folder ? `, ${basename(folder)}` : ''}${rest}`);
  }
  return 0;
}

/**
 * @param {Record<Name, Variables>} sides
 * @param {Record<Name, string[]>} testids
 * @returns {Promise<number>} the comparison's exit code
 */
async function compared(sides, testids) {
  const empty = /** @type {Name[]} */ (['A', 'B']).find((name) => testids[name].length === 0);
  if (empty) throw new Error(`no run of ${empty} left results`);
  const child = spawn(join(ROOT, 'scripts/compare'), [], {
    env: {
      ...process.env,
      BASE: testids.A.join(','),
      HEAD: testids.B.join(','),
      BASE_NAME: described('A', sides.A),
      HEAD_NAME: described('B', sides.B),
    },
    stdio: 'inherit',
  });
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}
