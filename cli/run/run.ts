/** Runs a test, from its variables to its verdict. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { resultName } from '../../analysis/result-name.ts';
import { logLine } from '../../analysis/run-log.ts';
import { writeAtomic } from '../../analysis/write-atomic.ts';
import { shownTarget } from '../../contract/command-line.js';
import { testNames } from '../../contract/tests.js';
import { milliseconds } from '../../contract/units.js';
import { whileTaking } from '../child.ts';
import { discover } from '../discovery/discover.ts';
import { broken, Ending, INTERRUPTED, quotable, TARGET, usage } from '../ending.ts';
import { logProgress } from '../log-progress.ts';
import {
  bringUp,
  checkRunFolder,
  loadStack,
  ownRunFolder,
  resultsFolder,
  setUp,
  stackKind,
  stackValue,
} from '../stack.ts';
import { runTrials } from '../trials/run-trials.ts';
import { checkTrials, hasTrials, trialsOf } from '../trials/trials.ts';
import { Undo } from '../undo.ts';
import { existingFile, takeWords } from '../variables.ts';
import { checkWorkload } from '../workload-document.ts';
import { claimTarget } from './claim.ts';
import { checkConfirmed } from './confirm.ts';
import { checkDisk, checkMemory } from './disk-and-memory.ts';
import { type Inspected, inspect } from './inspect.ts';
import { load } from './load.ts';
import { type OwnServer, ownServer } from './own-server.ts';
import { payloadWorkload } from './payload.ts';
import { printPlan, showPlan } from './plan.ts';
import { type RunVariables, runVariables } from './run-variables.ts';
import { judged } from './verdict.ts';
import { askMetrics, startExporter, startScraping } from './watch.ts';

/** k6's exit code for a test that its script aborted. */
const ABORTED = 108;

export const tests = testNames();

/** @param what the subject of the message @throws {Ending} if the test does not exist */
export function checkTest(test: string, what = 'the test') {
  if (!tests.includes(test)) throw usage(`${what} is "${quotable(test)}"; valid: ${tests.join(', ')}`);
}

/** @param words NAME=value @returns the exit code */
export async function run(test: string, words: readonly string[]): Promise<number> {
  checkTest(test);
  takeWords('run', words);
  existingFile('WORKLOAD', 'the path of a .json or .js file');
  existingFile('PAYLOAD', 'the path of a .json file with one JSON-RPC request');
  await checkRunFolder();
  const { env } = process;
  if (env.TARGET_CONTAINER && stackKind() === 'native')
    throw usage(
      "TARGET_CONTAINER needs the docker stack; on the native stack, set TARGET_PID to the server's process ID",
    );
  if (env.TARGET_IMAGE && stackKind() === 'native')
    throw usage('TARGET_IMAGE needs the docker stack; on the native stack, set TARGET_COMMAND');
  checkPid(env.TARGET_PID);
  const variables = runVariables(env);
  checkConfirmed(test, variables);
  const folder = folderOf(test);
  env.TESTID = basename(folder);
  await setUp(...needsOf(env));
  await ownRunFolder();
  const scratch = mkdtempSync(join(tmpdir(), 'mcp-load-lab-'));
  const undo = new Undo();
  undo.add(() => rmSync(scratch, { recursive: true, force: true }));
  try {
    return await inFolder({ test, folder, variables }, scratch, undo);
  } finally {
    await undo.all();
  }
}

/**
 * Tools that a run needs on this machine. A plan needs no stack. Another server needs no reference target.
 */
function needsOf({ DRY_RUN, TARGET_URL }: NodeJS.ProcessEnv): string[] {
  if (DRY_RUN === '1' || stackKind() === 'external') return ['k6'];
  return ['k6', TARGET_URL ? 'observe' : 'stack'];
}

/** @throws {Ending} if no such process runs on this machine */
function checkPid(pid = '') {
  try {
    if (pid) process.kill(Number(pid), 0);
  } catch (error) {
    // A process of another user exists as well (EPERM).
    if ((error as NodeJS.ErrnoException).code === 'ESRCH')
      throw usage(`TARGET_PID is ${pid}, but no such process is running on this machine`);
  }
}

/** Creates a new results folder for the run. */
function folderOf(test: string): string {
  const testid = process.env.TESTID || resultName(test);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(testid) || testid === 'latest')
    throw usage(
      `TESTID is "${quotable(testid.slice(0, 120))}"; valid: up to 100 letters, digits, dots, hyphens and underscores, a letter or a digit first, not "latest"`,
    );
  const folder = join(resultsFolder(), testid);
  if (existsSync(folder)) throw usage(`TESTID "${testid}" already exists (${folder}); choose another`);
  return folder;
}

interface Asked {
  test: string;
  /** Results folder. */
  folder: string;
  variables: RunVariables;
}

async function inFolder(asked: Asked, scratch: string, undo: Undo): Promise<number> {
  const { test, folder } = asked;
  const { env } = process;
  const dry = env.DRY_RUN === '1';
  const foreign = Boolean(env.TARGET_URL) && env.TARGET_URL !== stackValue('TARGET_URL');
  // The k6 scripts judge the reference target by the benchmark documents.
  env.REFERENCE_TARGET = foreign ? '' : '1';
  if (env.PAYLOAD) {
    if (env.WORKLOAD) throw usage('set only one of PAYLOAD and WORKLOAD');
    env.WORKLOAD = payloadWorkload(env.PAYLOAD, join(scratch, 'workload.json'));
  }
  checkWorkload();
  const server = env.CHECK_ONLY ? null : ownServer(scratch);
  let { inspected, discovery } = await firstLook(test, foreign);
  await checkTrials(test);
  // scripts/docker.sh sets this to check the variables before it starts anything.
  if (env.CHECK_ONLY) return 0;

  const workload = join(scratch, 'workload.json');
  const lookAgain = async () => {
    await discoverWorkload(workload, asked, dry);
    discovery = false;
    inspected = await inspect(test);
  };
  if (server) {
    undo.add(() => server.keepLog(folder));
    undo.add(() => server.stop());
    logProgress(`the server was ready after ${milliseconds(await server.start())}`);
  }
  if (!dry) {
    undo.add(await claimTarget(basename(folder), foreign ? env.TARGET_URL : undefined));
    checkDisk();
  }
  // Check that the server can be loaded and watched before anything is started.
  const metrics = dry ? [] : await askMetrics();
  if (foreign && discovery) await lookAgain();
  if (!dry) await checkMemory(inspected.vus);
  await stackFor(dry, foreign);
  if (!dry) undo.add(startScraping(metrics, basename(folder)));
  if (!dry && foreign) undo.add(await startExporter(basename(folder)));
  const { dialect } = inspected.plan.target;
  // The reference target's REST interface is next to its MCP endpoint.
  if (!foreign && dialect === 'rest' && env.TARGET_URL) env.TARGET_URL = env.TARGET_URL.replace(/\/mcp$/, '');
  if (discovery) {
    if (!env.TARGET_URL) throw usage('the reference target is not running; start it with: make up');
    await lookAgain();
  }
  inspected.plan.target.url = (env.TARGET_URL || inspected.plan.target.url).replace(/[?#].*$/, '');
  if (dry)
    return await showPlan(test, inspected.plan, {
      scratch,
      trials: hasTrials(test),
    });

  makeFolder(folder);
  env.RUN_LOG = join(folder, 'run.log');
  if (existsSync(workload)) {
    env.WORKLOAD = join(folder, 'workload.json');
    copyFileSync(workload, env.WORKLOAD);
  }
  return await loadAndJudge(asked, inspected, server);
}

/**
 * The plan, as far as it is known before anything is started. discovery: the plan depends on what the server
 * offers.
 */
async function firstLook(
  test: string,
  foreign: boolean,
): Promise<{ inspected: Inspected; discovery: boolean }> {
  const { WORKLOAD, ARGS, TOOLS, ALLOW_WRITES } = process.env;
  const asks = !WORKLOAD && !ARGS && (foreign || TOOLS || ALLOW_WRITES === '1');
  if (!asks) return { inspected: await inspect(test), discovery: false };
  // The test's own workload does not have the server's tools.
  const inspected = await inspect(test, { TOOL: '', TOOLS: '', TARGET_PROTOCOL: '' });
  // A test for servers that do not speak MCP needs no discovery.
  if (inspected.plan.target.dialect === 'mcp') return { inspected, discovery: true };
  return { inspected: await inspect(test), discovery: false };
}

/** @throws {Ending} with the reason, if there is nothing to load */
async function discoverWorkload(workload: string, { folder, variables }: Asked, dry: boolean) {
  const { env } = process;
  const failure = await discover(workload, dry);
  if (!failure) {
    Object.assign(env, { WORKLOAD: workload, TARGET_PROTOCOL: env.TARGET_PROTOCOL || 'auto' });
    // TOOLS has been applied: the document contains only these tools.
    delete env.TOOLS;
    return;
  }
  if (dry || failure.code !== TARGET) throw new Ending(failure.reason, failure.code);
  makeFolder(folder);
  writeFileSync(join(folder, 'k6.log'), failure.log);
  const abort = { code: 3 as const, reason: failure.reason };
  throw new Ending('', (await judged(folder, ABORTED, variables, abort)) || TARGET);
}

/** Starts the parts of the stack that the run needs. A plan uses only what is already up. */
async function stackFor(dry: boolean, foreign: boolean) {
  if (!dry) {
    await bringUp(process.env.TARGET_URL ? 'observe' : undefined);
    return;
  }
  if (stackKind() === 'external' && process.env.REFERENCE_URL) await bringUp();
  else if (!foreign && stackValue('STACK')) loadStack();
}

function makeFolder(folder: string) {
  try {
    mkdirSync(resultsFolder(), { recursive: true });
    mkdirSync(folder);
  } catch {
    throw broken(`the results cannot be written to ${folder}`);
  }
}

async function loadAndJudge(
  { test, folder, variables }: Asked,
  { plan, vus }: Inspected,
  server: OwnServer | null,
): Promise<number> {
  const { env } = process;
  const watched = { ...plan, watched_server: env.WATCHED_SERVER ?? '', variables };
  writeAtomic(join(folder, 'plan.json'), `${JSON.stringify(watched, null, 2)}\n`);
  printPlan(plan, { brief: true, trials: hasTrials(test) });
  const viewer = env.GRAFANA_URL ? 'make dashboards' : 'make live';
  logProgress(`${test}: loading ${shownTarget(env.TARGET_URL ?? '')}; watch it with: ${viewer}`);
  // From here on, the run ends with a report, even if a signal arrives between two programs.
  let signals = 0;
  const trials = await trialsOf(test);
  const code = await whileTaking(
    // A second signal arrived while no program was running, so something hangs: exit.
    () => ++signals > 1 && process.exit(INTERRUPTED),
    () =>
      trials
        ? runTrials(trials, { test, folder, vus, server })
        : load({ test, testid: basename(folder), vus, folder, plan }),
  );
  const verdict = await judged(folder, code, variables);
  logLine(`judged: exit code ${verdict}`);
  return verdict;
}
