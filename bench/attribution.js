/**
 * `make bench-attribution`: is what a run names as its bottleneck what it was? Faults whose effect is known are made while the
 * spike test runs: its first phase is healthy, each fault begins with the second. What the findings name is held against them.
 *
 *   RUNS=3          of each fault
 *   FAULTS=a,b      those alone
 *   SEED=1          of the loads and sizes, which differ from run to run
 *   POOL_DIR=dir    where runs are kept, and those that are there already are used: an interrupted bench goes on
 *   REANALYSE=1     what is in POOL_DIR, read by the rules as they are now: no load
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bottleneck } from '../analysis/bottleneck/bottleneck.js';
import { RESOURCES } from '../analysis/bottleneck/resources.js';
import { readSummary } from '../analysis/summary.js';
import { duration, percent } from '../analysis/units.js';
import { startToxiproxy } from '../experiments/chaos/toxiproxy.js';
import { seededRandom } from '../experiments/seeded-random.js';
import { toolPath } from '../experiments/tool-path.js';
import { burn, starve } from './attribution/disturb.js';
import { FAULTS } from './attribution/faults.js';
import { confusion } from './confusion.js';
import { count, say } from './harness.js';
import { withLabStack } from './lab-stack.js';
import { printTable } from './table.js';
import { wilson } from './wilson.js';

const RUNS = count('RUNS', 3);
const SEED = count('SEED', 1);
const NAMES = namesOf(process.env.FAULTS);
// The target has a knob of that name.
delete process.env.FAULTS;
const POOL = resolve(
  process.env.POOL_DIR || fileURLToPath(new URL('../results/bench-attribution', import.meta.url)),
);
/** Of the spike test's rates: 6 to 10 requests/s, and 120 to 200 in the spike. */
const SCALES = [0.06, 0.07, 0.08, 0.09, 0.1];
/** Its phases are then 35, 14, 17 and 18 s long: the spike is just long enough for its signals to be its own. */
const DURATION_S = 84;
/** What a run takes with its warm-up, set-up and analysis. */
const RUN_S = DURATION_S + 30;
const LEAST_RIGHT = 0.95;
const NOTHING = 'none';
const UNKNOWN = 'not enough to tell';
/** What a run leaves that the analysis needs again. */
const KEPT = ['run.json', 'timeline.json', 'summary.json', 'truth.json', 'host-watch.json'];

/**
 * @typedef {object} Truth
 * @property {string} fault
 * @property {number | null} size
 * @property {number} scale of the rates
 *
 * @typedef {object} Outcome
 * @property {Truth} made
 * @property {string} truth
 * @property {string} said
 * @property {string} verdict of the run
 * @property {import('../analysis/findings.js').Finding | null} finding
 * @property {boolean} right
 */

/** @param {string | undefined} text */
function namesOf(text) {
  const names = text ? text.split(',') : Object.keys(FAULTS);
  const wrong = names.find((name) => !(name in FAULTS));
  if (wrong !== undefined) {
    console.error(`error: FAULTS has "${wrong.slice(0, 80)}"; valid: ${Object.keys(FAULTS).join(', ')}`);
    process.exit(2);
  }
  return names;
}

/** @param {string} name of a fault @param {number} number of its run @returns {Truth} the same for the same seed */
function draw(name, number) {
  const place = Object.keys(FAULTS).indexOf(name);
  const random = seededRandom(SEED * 10_007 + place * 101 + number);
  const { size, whole } = /** @type {import('./attribution/faults.js').Fault} */ (FAULTS[name]);
  const scale = SCALES[Math.floor(random() * SCALES.length)] ?? 0.1;
  const [least, most] = size ?? [0, 0];
  const drawn = least * (most / least) ** random();
  return {
    fault: name,
    scale,
    size: size ? (whole ? Math.round(drawn) : Number(drawn.toPrecision(3))) : null,
  };
}

/**
 * @param {import('./lab-stack.js').LabStack} lab
 * @param {Truth} made
 * @param {string} folder
 */
async function make(lab, { fault: name, scale, size }, folder) {
  const fault = /** @type {import('./attribution/faults.js').Fault} */ (FAULTS[name]);
  const { target, outside, standing = {}, workload } = fault;
  const amount = size ?? 0;
  /** @type {(() => unknown)[]} */
  const undo = [];
  /** @type {Record<string, string>} */
  const variables = { RATE_SCALE: String(scale), DURATION: `${DURATION_S}s`, PROFILE: 'quick' };
  if (workload) variables.WORKLOAD = workload;
  /** @type {(generatorPid: () => number) => Promise<unknown>} */
  let begin = async () => target && lab.faults({ ...standing, [target]: amount });
  if (outside === 'burners') begin = async () => undo.push(await burn(amount, { apart: true }));
  if (outside === 'generator') begin = async (pid) => undo.push(await starve(pid(), amount));
  try {
    if (outside === 'network') {
      const toxiproxy = await startToxiproxy(toolPath('toxiproxy'));
      undo.push(() => toxiproxy.stop());
      const target = new URL(lab.stackEnv.TARGET_URL ?? '');
      const port = await toxiproxy.proxy('target', target.host);
      variables.BENCH_PROXY_URL = Object.assign(new URL(target), { port: String(port) }).href;
      variables.BENCH_K6 = toolPath('k6');
      const bin = join(folder, 'bin');
      mkdirSync(bin, { recursive: true });
      cpSync(fileURLToPath(new URL('attribution/k6-through-proxy', import.meta.url)), join(bin, 'k6'));
      variables.PATH = `${bin}:${process.env.PATH}`;
      const toxic = {
        type: /** @type {const} */ ('latency'),
        attributes: { latency: Math.round(amount), jitter: Math.round(amount / 4) },
      };
      begin = async () => toxiproxy.poison('target', toxic);
    }
    await lab.faults(standing);
    undo.push(() => lab.faults({}));
    /** @type {unknown[]} */
    const failures = [];
    const made = await lab.run('spike', variables, {
      during: async ({ phase, generatorPid }) => {
        if (phase.name !== 'spike') return;
        // A run without its fault is none; it is ended in order all the same.
        await begin(generatorPid).catch((error) => failures.push(error));
      },
    });
    if (failures.length > 0) throw failures[0];
    const { code, output, folder: results, run } = made;
    if (!run?.started) throw new Error(`exit code ${code}: ${output.slice(-2000)}`);
    for (const name of KEPT)
      if (existsSync(join(results, name))) cpSync(join(results, name), join(folder, name));
    rmSync(results, { recursive: true });
  } finally {
    for (const each of undo.reverse()) await each();
    rmSync(join(folder, 'bin'), { recursive: true, force: true });
  }
}

/** @param {string} folder of a run that was made @returns {Outcome} by the rules as they are now */
function judge(folder) {
  const read = (/** @type {string} */ name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  /** @type {[Truth, import('../analysis/run.js').Run]} */
  const [made, run] = [read('truth.json'), read('run.json')];
  const { summary, problem } = readSummary(folder);
  if (!summary) throw new Error(`${folder}: ${problem}`);
  const timeline = existsSync(join(folder, 'timeline.json')) ? read('timeline.json') : null;
  const { phases, thresholds } = run;
  // A busy machine may have its baseline miss an objective; what was done to the run came later.
  const finding = bottleneck({ plan: summary.plan, phases, thresholds, timeline }).at(-1) ?? null;
  let said = NOTHING;
  if (finding) said = RESOURCES.find(({ subject }) => subject === finding.subject)?.id ?? UNKNOWN;
  const { truth: expected, invalid } = /** @type {import('./attribution/faults.js').Fault} */ (
    FAULTS[made.fault]
  );
  const truth = expected ?? NOTHING;
  const { outcome: verdict } = run.verdict;
  return {
    made,
    truth,
    said,
    verdict,
    finding,
    right: said === truth && (!invalid || verdict === 'invalid'),
  };
}

/** @param {Outcome[]} outcomes @returns {boolean} whether all that was promised holds */
function report(outcomes) {
  printTable(
    ['fault', 'size', 'load', 'named', 'confidence', 'run is', ''],
    outcomes.map(({ made, said, verdict, finding, right }) => [
      made.fault,
      String(made.size ?? '-'),
      `x ${made.scale}`,
      said,
      finding?.confidence ?? '-',
      verdict,
      right ? 'right' : 'WRONG',
    ]),
  );
  for (const { made, finding, right } of outcomes) {
    if (!right) console.log(`${made.fault} ${made.size ?? ''}: ${finding?.statement ?? 'nothing broke'}`);
  }
  const { columns, rows } = confusion(
    outcomes.map(({ made, said }) => ({
      truth: `${made.fault} (${FAULTS[made.fault]?.truth ?? NOTHING})`,
      said,
    })),
    Object.entries(FAULTS).map(([name, { truth }]) => `${name} (${truth ?? NOTHING})`),
  );
  console.log('\nwhat was true (rows) against what was named (columns)');
  printTable(
    ['', ...columns],
    rows.map(({ truth, counts }) => [truth, ...counts.map((each) => String(each || '.'))]),
  );

  const right = outcomes.filter((each) => each.right).length;
  const { share, low, high } = wilson(right, outcomes.length);
  console.log(
    `right: ${right} of ${outcomes.length}, ${percent(share)} (95 % interval ${percent(low)} to ${percent(high)}); wanted: ${percent(LEAST_RIGHT)} at least`,
  );
  const healthy = outcomes.filter(({ made }) => FAULTS[made.fault]?.truth === null);
  const accused = healthy.filter(({ said }) => said !== NOTHING).length;
  console.log(`a bottleneck was named in ${accused} of ${healthy.length} runs that had none; wanted: 0`);
  const untrue = outcomes.filter(({ made }) => FAULTS[made.fault]?.invalid);
  const valid = untrue.filter(({ verdict }) => verdict !== 'invalid').length;
  console.log(
    `${untrue.length - valid} of ${untrue.length} runs with a starved generator were declared invalid; wanted: all`,
  );
  return share >= LEAST_RIGHT && accused === 0 && valid === 0;
}

// Round by round, so that a bench that is interrupted has something of each.
const wanted = Array.from({ length: RUNS }, (_, index) => index + 1).flatMap((number) =>
  NAMES.map((name) => ({ made: draw(name, number), folder: join(POOL, `${name}-${SEED}-${number}`) })),
);
const done = (/** @type {{folder: string}} */ { folder }) => existsSync(join(folder, 'run.json'));
const results = () => report(wanted.filter(done).map(({ folder }) => judge(folder)));

const missing = wanted.filter((each) => !done(each));
if (process.env.REANALYSE === '1' || missing.length === 0) {
  if (missing.length === wanted.length) {
    console.error(
      `error: POOL_DIR is "${POOL}", which has no such runs; valid: a folder that this bench has filled`,
    );
    process.exit(2);
  }
  process.exitCode = results() ? 0 : 1;
} else {
  say(`${missing.length} runs, about ${duration(missing.length * RUN_S)}; kept in ${POOL}`);
  await withLabStack(async (lab) => {
    for (const [index, { made, folder }] of missing.entries()) {
      const size = made.size === null ? '' : ` ${made.size} ${FAULTS[made.fault]?.about}`;
      say(`${index + 1}/${missing.length}: ${made.fault}${size}, load x ${made.scale} ...`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'truth.json'), `${JSON.stringify(made)}\n`);
      await make(lab, made, folder);
      const { said, verdict, right } = judge(folder);
      say(`  named: ${said}; the run is ${verdict}${right ? '' : ': WRONG'}`);
    }
    return results();
  });
}
