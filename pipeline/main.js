#!/usr/bin/env node
/**
 * `make ci`: one test from start to exit code, for a system that nobody watches. Starts the server where it is told how, runs
 * the test, compares the runs with a baseline, and says where everything is. `scripts/ci` calls it, with the variables in the
 * environment. docs/ci.md has all of it.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanText, secretsOf } from '../analysis/clean-text.js';
import { CompareError } from '../analysis/compare/compare-error.js';
import { optionsOf } from '../analysis/compare/options.js';
import { readSide } from '../analysis/compare/sides.js';
import { resultName } from '../analysis/result-name.js';
import { counted } from '../analysis/units.js';
import { writeAtomic } from '../analysis/write-atomic.js';
import { BASELINE_NAME } from '../contract/baseline-name.js';
import { ConfigError } from '../contract/config-error.js';
import { readVariables } from '../contract/variable.js';
import { compare, pipeline, test } from '../contract/variables/commands.js';
import { experiments } from '../contract/variables/experiments.js';
import { annotationsOfComparison, annotationsOfRun } from './annotations.js';
import { startChild } from './child.js';
import { combined, isError, LIMIT, NO_TARGET, SIGNALS, USAGE } from './exit-code.js';
import { addOutputs, addSummary, annotationCommands, textOnly } from './github.js';
import { NotReady, startServer } from './server.js';
import { summaryOf } from './summary.js';

/** @typedef {import('./annotations.js').Annotation} Annotation */
/** @typedef {import('./summary.js').Done} Done */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BROKEN = 1;
/** For an interrupted run to end its calls, clean up and write its report. */
const GRACE_MS = 90_000;
/** No colour, and nothing that waits for somebody. */
const QUIET = { NO_COLOR: '1', TERM: 'dumb', CI: 'true', DEBIAN_FRONTEND: 'noninteractive' };
const WORDS = /** @type {Record<number, string>} */ ({
  0: 'pass',
  98: 'the figures can not be trusted, or nothing could be judged',
  99: 'an objective was missed, or something is worse than the baseline',
  [USAGE]: 'bad usage or configuration',
  [NO_TARGET]: 'the target can not be reached, or is not MCP',
  [LIMIT]: 'the time limit was reached',
});

const variables = { ...pipeline, ...test, BASE: compare.BASE, RUNS: experiments.RUNS };
const { env } = process;
const secrets = secretsOf(env);
const onGithub = env.GITHUB_ACTIONS === 'true';
const print = (/** @type {string} */ text) => process.stdout.write(text);
const say = (/** @type {string} */ text) => print(`ci: ${cleanText(text, secrets, 2000)}\n`);

/** A stack that runs already is somebody's, and stays up. */
const stackWasUp = existsSync(join(env.RUN_DIR ?? '', 'stack.env'));

/** Why all of it is to end before its end, as the exit code. */
const early = new AbortController();
for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => early.abort(code));

/** @type {Done[]} */
const done = [];
/** @type {Annotation[]} */
const annotations = [];

/** @param {string} title @param {string} message */
function problem(title, message) {
  const clean = cleanText(message, secrets, 2000);
  annotations.push({ level: 'error', title, message: clean });
  say(clean);
}

/**
 * Runs a script of the project and hands on what it says.
 *
 * @param {string} script
 * @param {string[]} args
 * @param {Record<string, string>} given
 * @returns {Promise<{code: number, folder: string, error: string}>} folder: of its results; error: its last line that is one
 */
async function script(script, args, given) {
  let output = '';
  const child = startChild(join(ROOT, script), args, {
    env: { ...QUIET, ...given },
    onOutput(text) {
      output += text;
      print(text);
    },
  });
  const stop = () => child.stop(GRACE_MS);
  early.signal.addEventListener('abort', stop, { once: true });
  if (early.signal.aborted) stop();
  const code = await child.ended;
  early.signal.removeEventListener('abort', stop);
  // What an interrupted script left running is ended as well.
  if (early.signal.aborted) await child.stop(0);
  return {
    code,
    folder: /^results: (.*)$/m.exec(output)?.[1] ?? '',
    error: [...output.matchAll(/^error: (.*)$/gm)].at(-1)?.[1] ?? '',
  };
}

/** @param {string} folder @param {string} name @returns {any} undefined: there is none */
function documentIn(folder, name) {
  try {
    return JSON.parse(readFileSync(join(folder, name), 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} path @returns {string} */
const textIn = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/**
 * @param {import('../contract/variable.js').ValuesOf<typeof variables>} config
 * @param {Record<string, string>} places
 * @returns {Promise<string[]>} the testids of the runs that left results
 */
async function runAll({ TEST, RUNS: wanted }, places) {
  const runs = wanted ?? 1;
  const testids = [];
  for (let number = 1; number <= runs && !early.signal.aborted; number += 1) {
    const what = runs === 1 ? TEST : `${TEST}, run ${number} of ${runs}`;
    say(`${what} ...`);
    // A name that is given is one run's.
    /** @type {Record<string, string>} */
    const name = env.TESTID && runs > 1 ? { TESTID: `${env.TESTID}-${number}` } : {};
    const { code, folder, error } = await script('scripts/run', [TEST], { ...places, ...name, RUNS: '' });
    done.push({ what, code, folder, markdown: textIn(join(folder, 'report.md')) });
    const run = folder === '' ? undefined : documentIn(folder, 'run.json');
    if (run) {
      annotations.push(...annotationsOfRun(run));
      testids.push(basename(folder));
    } else if (!early.signal.aborted)
      problem(
        `load test ${TEST}`,
        `${what} left no results, exit code ${code}${error === '' ? '' : `: ${error}`}`,
      );
    if (isError(code)) break;
  }
  return testids;
}

/**
 * @param {string} base
 * @param {string[]} testids
 * @param {Record<string, string>} places
 */
async function compareWith(base, testids, places) {
  say(`${counted(testids.length, 'run')} compared with ${base} ...`);
  const { code, folder, error } = await script('scripts/compare', [], {
    ...places,
    BASE: base,
    HEAD: testids.join(','),
  });
  const comparison = folder === '' ? undefined : documentIn(folder, 'comparison.json');
  if (comparison) annotations.push(...annotationsOfComparison(comparison));
  else
    problem(
      `compared with ${base}`,
      `there is no comparison, exit code ${code}${error === '' ? '' : `: ${error}`}`,
    );
  done.push({
    what: `compared with ${base}`,
    code,
    folder,
    markdown: textIn(join(folder, 'comparison.md')),
  });
}

/**
 * @param {import('../contract/variable.js').ValuesOf<typeof variables>} config
 * @param {Record<string, string>} places
 * @returns {string} what to compare with; '' for nothing
 * @throws {CompareError} where it is not there: not after an hour of load
 */
function baseOf({ BASE, BASE_OPTIONAL }, places) {
  optionsOf(env);
  const { RESULTS_DIR: results = '', BASELINES_DIR: baselines = '' } = places;
  const plain = BASELINE_NAME.test(BASE) && !existsSync(BASE) && !existsSync(join(results, BASE));
  if (BASE_OPTIONAL && plain && !existsSync(join(baselines, `${BASE}.json`))) {
    const message = `there is no baseline ${BASE} yet: nothing is compared`;
    annotations.push({ level: 'notice', title: 'no baseline', message });
    say(message);
    return '';
  }
  if (BASE !== '') readSide('BASE', BASE, { results, baselines });
  return BASE;
}

/**
 * @param {import('../contract/variable.js').ValuesOf<typeof variables>} config
 * @param {Record<string, string>} places
 * @param {string} folder
 * @returns {Promise<number>} the exit code
 */
async function main(config, places, folder) {
  const base = baseOf(config, places);
  mkdirSync(folder, { recursive: true });
  const target = env.TARGET_URL ?? '';
  /** @type {import('./server.js').Server | null} */
  let server = null;
  let testids = /** @type {string[]} */ ([]);
  try {
    if (config.SERVER_COMMAND !== '') {
      say('starting the server ...');
      server = await startServer({
        command: config.SERVER_COMMAND,
        url: config.READY_URL || target,
        exact: config.READY_URL !== '',
        withinS: config.READY_S,
        log: join(folder, 'server.log'),
        secrets,
        signal: early.signal,
      });
    }
    testids = await runAll(config, places);
  } catch (error) {
    if (!(error instanceof NotReady)) throw error;
    problem('the server under test', error.message);
    done.push({ what: 'server', code: NO_TARGET, folder: '', markdown: '' });
  } finally {
    const ended = await server?.stop();
    if (ended) problem('the server under test', ended);
  }
  const codes = () => done.map(({ code }) => code);
  const usable = testids.length > 0 && !isError(combined(codes()));
  if (base !== '' && usable && !early.signal.aborted) await compareWith(base, testids, places);
  if (early.signal.aborted) return early.signal.reason;
  if (config.SAVE_BASELINE !== '' && combined(codes()) === 0) {
    const given = { ...places, NAME: config.SAVE_BASELINE, BASE: testids.join(',') };
    const { code } = await script('scripts/baseline-save', [], given);
    done.push({ what: `saved as ${config.SAVE_BASELINE}`, code, folder: '', markdown: '' });
  }
  return early.signal.aborted ? early.signal.reason : combined(codes());
}

/** @param {number} code @param {string} folder @param {string} results */
function report(code, folder, results) {
  const ending = `exit code ${code}${WORDS[code] ? `: ${WORDS[code]}` : ''}`;
  const left = done.filter(({ folder: itsFolder }) => itsFolder !== '');
  for (const { what, code: itsCode, folder: itsFolder } of left)
    say(`${what}: exit code ${itsCode}, ${itsFolder}`);
  if (existsSync(folder)) {
    const markdown = summaryOf({ ending, done });
    writeAtomic(join(folder, 'summary.md'), markdown);
    if (onGithub) addSummary(env.GITHUB_STEP_SUMMARY, markdown);
    say(`artifacts: ${results} (summary.md in ${basename(folder)})`);
  }
  if (onGithub) {
    for (const line of annotationCommands(annotations)) print(`${line}\n`);
    addOutputs(env.GITHUB_OUTPUT, {
      'exit-code': code,
      results,
      summary: existsSync(folder) ? join(folder, 'summary.md') : '',
      testids: left.map(({ folder: itsFolder }) => basename(itsFolder)).join(','),
    });
  }
  say(ending);
}

const results = resolve(env.RESULTS_DIR || join(ROOT, 'results'));
const places = { RESULTS_DIR: results, BASELINES_DIR: resolve(env.BASELINES_DIR || join(ROOT, 'baselines')) };
const folder = join(results, resultName('ci'));
const { stop, resume } = textOnly(randomBytes(16).toString('hex'));
if (onGithub) print(`${stop}\n`);
let code = BROKEN;
try {
  const config = readVariables(variables, env);
  if (config.SERVER_COMMAND !== '' && !env.TARGET_URL)
    throw new ConfigError(
      'TARGET_URL is empty; valid: where the server of SERVER_COMMAND answers, as http://127.0.0.1:3001/mcp',
    );
  setTimeout(() => early.abort(LIMIT), config.LIMIT_MINUTES * 60_000).unref();
  code = await main(config, places, folder);
} catch (error) {
  const usage = error instanceof ConfigError || error instanceof CompareError;
  code = usage ? USAGE : BROKEN;
  const message = cleanText(error instanceof Error ? error.message : String(error), secrets);
  annotations.push({ level: 'error', title: 'make ci', message });
  process.stderr.write(`error: ${message}\n`);
}
if (!stackWasUp && existsSync(folder))
  await startChild(join(ROOT, 'scripts/down'), [], { onOutput: print }).ended;
if (onGithub) print(`${resume}\n`);
report(code, folder, results);
process.exitCode = code;
