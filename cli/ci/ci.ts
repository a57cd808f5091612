/**
 * `make ci`: one unattended test from start to exit code. It starts the server if SERVER_COMMAND is set, runs
 * the test, compares the runs with a baseline, and prints where the results are. See docs/ci.md.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cleanText, secretsOf } from '../../analysis/clean-text.ts';
import { checkRuns } from '../../analysis/compare/check-runs.ts';
import { CompareError } from '../../analysis/compare/compare-error.ts';
import { refusal } from '../../analysis/compare/digest.ts';
import { optionsOf } from '../../analysis/compare/options.ts';
import { readSide } from '../../analysis/compare/sides.ts';
import { resultName } from '../../analysis/result-name.ts';
import { writeAtomic } from '../../analysis/write-atomic.ts';
import { BASELINE_NAME } from '../../contract/baseline-name.js';
import { counted } from '../../contract/units.js';
import { readVariables, type ValuesOf } from '../../contract/variable.js';
import { compare, pipeline, test } from '../../contract/variables/commands.js';
import { trials } from '../../contract/variables/trials.js';
import { whileTaking } from '../child.ts';
import { BROKEN, codeOf, TARGET, USAGE } from '../ending.ts';
import { startGroup } from '../group.ts';
import { checkTest } from '../run/run.ts';
import { type AskedServer, askedServer, NotReady, type Server, startServer } from '../server.ts';
import { baselinesFolder, ROOT, resultsFolder, runFolder } from '../stack.ts';
import { takeWords } from '../variables.ts';
import { type Annotation, annotationsOfComparison, annotationsOfRun } from './annotations.ts';
import { combined, endingOf, isError, LIMIT, missedIn, SIGNALS, worseIn } from './exit-code.ts';
import { addOutputs, addSummary, annotationCommands, textOnly } from './github.ts';
import { type Done, summaryOf } from './summary.ts';

/** Time for an interrupted run to end its calls, clean up and write its report. */
const GRACE_MS = 90_000;
/** Disables colors and prompts. */
const QUIET = { NO_COLOR: '1', TERM: 'dumb', CI: 'true', DEBIAN_FRONTEND: 'noninteractive' };
const MOST = 2000;
/**
 * ci starts the server itself, so the variables of a server do not apply to its runs, nor to a repetition.
 */
const NO_SERVER = { SERVER_COMMAND: '', READY_URL: '', READY_S: '' };

const variables = { ...pipeline, ...test, BASE: compare.BASE, RUNS: trials.RUNS };
type Config = ValuesOf<typeof variables> & {
  /** null = already running. */
  server: AskedServer | null;
};

const howToSave = (baseline: string) =>
  `create it with SAVE_BASELINE=${baseline}, or set BASE_OPTIONAL=1 to skip the comparison`;

const print = (text: string) => void process.stdout.write(text);

export async function ci(words: readonly string[]): Promise<number> {
  const { env } = process;
  const lines = (env.VARIABLES ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  delete env.VARIABLES;
  takeWords('ci', [...lines, ...words]);
  env.TEST ||= 'spike';
  checkTest(env.TEST, 'TEST');
  const job = new Job();
  return await whileTaking(
    (signal) => job.end(SIGNALS[signal] ?? BROKEN),
    () => job.run(),
  );
}

class Job {
  readonly #secrets = secretsOf(process.env);
  readonly #places = { RESULTS_DIR: resultsFolder(), BASELINES_DIR: baselinesFolder() };
  readonly #folder = join(resultsFolder(), resultName('ci'));
  /** A stack that was already up is left running. */
  readonly #stackWasUp = existsSync(join(runFolder(), 'stack.env'));
  /** Aborts everything early; the reason is the exit code. */
  readonly #early = new AbortController();
  readonly #done: Done[] = [];
  readonly #annotations: Annotation[] = [];

  /** Ends the current step, then everything. */
  end(code: number) {
    this.#early.abort(code);
  }

  /** @returns the exit code */
  async run(): Promise<number> {
    const onGithub = process.env.GITHUB_ACTIONS === 'true';
    const { stop, resume } = textOnly(randomBytes(16).toString('hex'));
    if (onGithub) print(`${stop}\n`);
    let code: number;
    try {
      code = await this.#steps(configOf());
    } catch (error) {
      code = error instanceof CompareError ? USAGE : codeOf(error);
      const message = cleanText(error instanceof Error ? error.message : String(error), this.#secrets);
      this.#annotations.push({ level: 'error', title: 'make ci', message });
      process.stderr.write(`error: ${message}\n`);
    }
    if (!this.#stackWasUp && existsSync(this.#folder))
      await startGroup([join(ROOT, 'scripts/down')], { onOutput: print }).ended;
    if (onGithub) print(`${resume}\n`);
    this.#report(code, onGithub);
    return code;
  }

  async #steps(config: Config): Promise<number> {
    const limit = setTimeout(() => this.end(LIMIT), config.LIMIT_MINUTES * 60_000).unref();
    const { signal: early } = this.#early;
    const base = this.#baseOf(config);
    mkdirSync(this.#folder, { recursive: true });
    const testids = await this.#withServer(config);
    const codes = () => combined(this.#done.map(({ code }) => code));
    if (base !== '' && testids.length > 0 && !isError(codes()) && !early.aborted)
      await this.#compareWith(base, testids);
    if (config.SAVE_BASELINE !== '' && codes() === 0 && !early.aborted) {
      const variables = { NAME: config.SAVE_BASELINE, BASE: testids.join(',') };
      const { code } = await this.#script('scripts/baseline-save', [], variables);
      this.#done.push({ what: `saved as ${config.SAVE_BASELINE}`, code, folder: '', markdown: '' });
    }
    clearTimeout(limit);
    return early.aborted ? early.reason : codes();
  }

  /** @returns the testids of the runs that left results */
  async #withServer(config: Config): Promise<string[]> {
    const { server: asked } = config;
    let server: Server | undefined;
    try {
      if (asked) {
        this.#logProgress('starting the server ...');
        server = await startServer({
          ...asked,
          log: join(this.#folder, 'server.log'),
          secrets: this.#secrets,
          signal: this.#early.signal,
        });
      }
      return await this.#runAll(config);
    } catch (error) {
      if (!(error instanceof NotReady)) throw error;
      this.#problem('the server under test', error.message);
      this.#done.push({ what: 'server', code: TARGET, folder: '', markdown: '' });
      return [];
    } finally {
      const ended = await server?.stop();
      if (ended) this.#problem('the server under test', ended);
    }
  }

  async #runAll({ TEST, RUNS: wanted }: Config): Promise<string[]> {
    const runs = wanted ?? 1;
    const { TESTID } = process.env;
    const testids = [];
    for (let number = 1; number <= runs && !this.#early.signal.aborted; number += 1) {
      const what = runs === 1 ? TEST : `${TEST}, run ${number} of ${runs}`;
      this.#logProgress(`${what} ...`);
      // A TESTID names a single run.
      const name: Record<string, string> = TESTID && runs > 1 ? { TESTID: `${TESTID}-${number}` } : {};
      const { code, folder, error } = await this.#script('scripts/run', [TEST], {
        ...name,
        RUNS: '',
        ...NO_SERVER,
        // RESTART_COMMAND gets these variables as well.
        ...(!process.env.RESTART_COMMAND && { SERVER_ENV: '' }),
      });
      const done: Done = { what, code, folder, markdown: textIn(folder, 'report.md') };
      this.#done.push(done);
      const run = documentIn(folder, 'run.json');
      if (run) {
        done.missed = missedIn(run);
        this.#annotations.push(...annotationsOfRun(run));
        testids.push(basename(folder));
      } else if (!this.#early.signal.aborted)
        this.#problem(`load test ${TEST}`, `${what} left no results (exit code ${code})${error}`);
      if (isError(code)) break;
    }
    return testids;
  }

  async #compareWith(base: string, testids: string[]) {
    const what = `compared with ${base}`;
    this.#logProgress(`${counted(testids.length, 'run')} ${what} ...`);
    const variables = { BASE: base, HEAD: testids.join(',') };
    const { code, folder, error } = await this.#script('scripts/compare', [], variables);
    const done: Done = { what, code, folder, markdown: textIn(folder, 'comparison.md') };
    this.#done.push(done);
    const comparison = documentIn(folder, 'comparison.json');
    if (comparison) done.worse = { metrics: worseIn(comparison), than: this.#nameOf(base) };
    if (comparison) this.#annotations.push(...annotationsOfComparison(comparison));
    else this.#problem(what, `there is no comparison (exit code ${code})${error}`);
  }

  /** @param base value of BASE @returns its name in a sentence */
  #nameOf(base: string): string {
    return existsSync(join(this.#places.BASELINES_DIR, `${base}.json`)) ? `the baseline ${base}` : base;
  }

  /**
   * @returns the base of the comparison; '' = none
   * @throws {CompareError} before any load, if BASE does not exist or RUNS is too low for a significant
   *   result
   */
  #baseOf({ BASE, BASE_OPTIONAL, SAVE_BASELINE, RUNS }: Config): string {
    const options = optionsOf(process.env);
    if (BASE === '') return '';
    const head = RUNS ?? 1;
    const { RESULTS_DIR: results, BASELINES_DIR: baselines } = this.#places;
    const plain = BASELINE_NAME.test(BASE) && !existsSync(BASE) && !existsSync(join(results, BASE));
    const isMissing = plain && !existsSync(join(baselines, `${BASE}.json`));
    if (isMissing && (BASE_OPTIONAL || SAVE_BASELINE === BASE)) {
      // The next job compares the same number of runs with those that this job saves.
      if (SAVE_BASELINE === BASE) checkRuns({ head, ...options });
      const message = `the baseline ${BASE} does not exist yet; nothing is compared`;
      this.#annotations.push({ level: 'notice', title: 'no baseline', message });
      this.#logProgress(message);
      return '';
    }
    const { digests } = readSide('BASE', BASE, { results, baselines }, howToSave);
    checkRuns({ head, base: digests.filter((one) => refusal(one, options) === null).length, ...options });
    return BASE;
  }

  /**
   * Runs a script of the project and forwards its output.
   *
   * @returns folder: of its results; error: its last error line, as the end of a sentence
   */
  async #script(script: string, args: string[], variables: Record<string, string>) {
    let output = '';
    const { signal: early } = this.#early;
    const child = startGroup([join(ROOT, script), ...args], {
      env: { ...QUIET, ...this.#places, ...variables },
      onOutput(text) {
        output += text;
        print(text);
      },
    });
    const stop = () => child.stop(GRACE_MS);
    early.addEventListener('abort', stop, { once: true });
    if (early.aborted) stop();
    const code = await child.ended;
    early.removeEventListener('abort', stop);
    // Also end the processes that an interrupted script left running.
    if (early.aborted) await child.stop(0);
    const error = [...output.matchAll(/^error: (.*)$/gm)].at(-1)?.[1];
    return {
      code,
      folder: /^results: (.*)$/m.exec(output)?.[1] ?? '',
      error: error === undefined ? '' : `: ${error}`,
    };
  }

  #logProgress(text: string) {
    print(`ci: ${cleanText(text, this.#secrets, MOST)}\n`);
  }

  #problem(title: string, message: string) {
    this.#annotations.push({ level: 'error', title, message: cleanText(message, this.#secrets, MOST) });
    this.#logProgress(message);
  }

  #report(code: number, onGithub: boolean) {
    const folder = existsSync(this.#folder) ? this.#folder : '';
    const ending = endingOf(code, this.#done);
    const left = this.#done.filter((one) => one.folder !== '');
    for (const { what, code: itsCode, folder: itsFolder } of left)
      this.#logProgress(`${what}: exit code ${itsCode}, ${itsFolder}`);
    const { RESULTS_DIR: results } = this.#places;
    if (folder !== '') {
      const markdown = summaryOf({ ending, done: this.#done });
      writeAtomic(join(folder, 'summary.md'), markdown);
      if (onGithub) addSummary(process.env.GITHUB_STEP_SUMMARY, markdown);
      this.#logProgress(`artifacts: ${results} (summary.md in ${basename(folder)})`);
    }
    if (onGithub) {
      for (const line of annotationCommands(this.#annotations)) print(`${line}\n`);
      addOutputs(process.env.GITHUB_OUTPUT, {
        'exit-code': code,
        results,
        summary: folder === '' ? '' : join(folder, 'summary.md'),
        testids: left.map((one) => basename(one.folder)).join(','),
      });
    }
    this.#logProgress(ending);
  }
}

/** @throws {ConfigError} */
function configOf(): Config {
  return { ...readVariables(variables, process.env), server: askedServer() };
}

/** Returns undefined if there is none. */
function documentIn(folder: string, name: string) {
  try {
    return folder === '' ? undefined : JSON.parse(readFileSync(join(folder, name), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Returns '' if there is none. */
const textIn = (folder: string, name: string) =>
  folder !== '' && existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
