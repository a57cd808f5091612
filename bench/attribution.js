/**
 * `make bench-attribution`: does a run name the right bottleneck? Known faults are injected while the spike test runs:
 * its first phase is healthy, and each fault begins with the second. The bottleneck that the findings name is compared
 * with the fault.
 *
 *   TABLE=reference faults of the reference target (attribution/reference.js); outside: limits of servers that export
 *                   no metrics (attribution/outside.ts); servers: third-party servers (tests/servers/public)
 *   RUNS=3          runs per fault
 *   FAULTS=a,b      only these faults
 *   SEED=1          seed of the loads and fault sizes, which differ from run to run
 *   POOL_DIR=dir    folder of the runs; existing runs are reused, so an interrupted bench can be continued
 *   REANALYSE=1     only analyses the runs in POOL_DIR with the current rules, without load
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bottleneck } from '../analysis/bottleneck/bottleneck.ts';
import { withBaselines } from '../analysis/bottleneck/compared-phases.ts';
import { capacitiesOf } from '../analysis/capacity.ts';
import { readLines } from '../analysis/collect/seconds.ts';
import { readSummary } from '../analysis/collect/summary.ts';
import { bucketsOf } from '../analysis/episode.ts';
import { capacity } from '../analysis/findings/capacity-finding.ts';
import { seededRandom } from '../contract/seeded-random.js';
import { duration, percent, perSecond } from '../contract/units.js';
import { NOTHING, named, UNKNOWN } from './attribution/named.js';
import * as outside from './attribution/outside.ts';
import * as reference from './attribution/reference.js';
import { DURATION_S, runFault } from './attribution/run-fault.js';
import * as servers from './attribution/servers.ts';
import { confusion } from './confusion.js';
import { printTable } from './figures.ts';
import { count, logProgress } from './harness.ts';
import { withLabStack } from './lab-stack.js';
import { wilson } from './wilson.js';

/**
 * @typedef {object} Table
 * @property {Record<string, Fault>} FAULTS
 * @property {(lab: import('./lab-stack.js').LabStack, made: Truth, folder: string, undo: (() => unknown)[]) => Promise<Started>} start
 * @property {number} MIN_RIGHT minimum share of runs with the right bottleneck
 * @property {boolean} WRONG_ALLOWED whether the other runs may name a wrong bottleneck
 */

/** @type {Record<string, Table>} */
const TABLES = { reference, outside, servers };
const TABLE = process.env.TABLE || 'reference';
const table = TABLES[TABLE] ?? invalid('TABLE', TABLE, TABLES);
const { FAULTS } = table;
const RUNS = count('RUNS', 3);
const SEED = count('SEED', 1);
const NAMES = namesOf(process.env.FAULTS);
// The target has a setting of the same name.
delete process.env.FAULTS;
const POOL = resolve(
  process.env.POOL_DIR ||
    fileURLToPath(
      new URL(`../results/bench-attribution${TABLE === 'reference' ? '' : `-${TABLE}`}`, import.meta.url),
    ),
);
/** Factors of the spike test's rates: 6 to 10 requests/s, and 120 to 200 in the spike. */
const SCALES = [0.06, 0.07, 0.08, 0.09, 0.1];
/** Duration of a run including warm-up, set-up and analysis. */
const RUN_S = DURATION_S + 30;
/** Files of a run that a later analysis needs. */
const KEPT = ['run.json', 'timeline.json', 'measured.json', 'seconds.jsonl', 'truth.json', 'host-watch.json'];

/**
 * @typedef {object} Fault
 * @property {string | null} truth the bottleneck to be named: a resource, or a resource and its cause; null: none
 * @property {[least: number, most: number]} [size] drawn for each run, so that the rules are not tuned to one size
 * @property {true} [whole] the size is a whole number
 * @property {number} [scale] factor of the rates; drawn from SCALES by default
 * @property {true} [invalid] the run must be declared invalid
 * @property {string} about
 *
 * @typedef {object} Started the set-up of a run
 * @property {Record<string, string>} variables
 * @property {(generatorPid: () => number) => Promise<unknown>} begin starts the fault when the spike begins
 * @property {number} [untilS] ends the run this long after the spike, because its recovery does not show the limit
 *
 * @typedef {object} Truth
 * @property {string} fault
 * @property {number | null} size
 * @property {number} scale factor of the rates
 *
 * @typedef {object} Outcome
 * @property {Truth} made
 * @property {string} truth
 * @property {string} said
 * @property {string} verdict verdict of the run
 * @property {import('../analysis/findings/finding.ts').Finding | null} finding
 * @property {import('../analysis/findings/finding.ts').Finding | null} most the capacity finding
 * @property {boolean} right
 */

/** @param {string} variable @param {string} text @param {object} choices @returns {never} */
function invalid(variable, text, choices) {
  console.error(`error: ${variable} has "${text.slice(0, 80)}"; valid: ${Object.keys(choices).join(', ')}`);
  process.exit(2);
}

/** @param {string | undefined} text */
function namesOf(text) {
  const names = text ? text.split(',') : Object.keys(FAULTS);
  const wrong = names.find((name) => !(name in FAULTS));
  if (wrong !== undefined) invalid('FAULTS', wrong, FAULTS);
  return names;
}

/**
 * @param {string} name name of a fault
 * @param {number} number number of the run
 * @returns {Truth} depends only on these and SEED
 */
function draw(name, number) {
  const place = Object.keys(FAULTS).indexOf(name);
  const random = seededRandom(SEED * 10_007 + place * 101 + number);
  const { size, whole, scale: fixed } = /** @type {Fault} */ (FAULTS[name]);
  const scale = fixed ?? SCALES[Math.floor(random() * SCALES.length)] ?? 0.1;
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
async function make(lab, made, folder) {
  const { folder: results } = await runFault(lab, table.start, made, folder);
  for (const name of KEPT)
    if (existsSync(join(results, name))) cpSync(join(results, name), join(folder, name));
  rmSync(results, { recursive: true });
}

/** @param {string} folder folder of an existing run @returns {Promise<Outcome>} judged by the current rules */
async function judge(folder) {
  const read = (/** @type {string} */ name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  /** @type {[Truth, import('../analysis/judge/run.ts').Run]} */
  const [made, run] = [read('truth.json'), read('run.json')];
  const { summary, problem } = readSummary(folder);
  if (!summary) throw new Error(`${folder}: ${problem}`);
  const timeline = existsSync(join(folder, 'timeline.json')) ? read('timeline.json') : null;
  const { phases, thresholds } = run;
  const { plan, groups } = summary;
  const lines = await readLines(folder);
  const known = {
    lines,
    buckets: bucketsOf(lines, phases),
    capacities: capacitiesOf(withBaselines(plan, phases), groups, lines),
  };
  // Use the last finding. On a busy machine, an earlier finding may be about the baseline, before the fault.
  const finding = bottleneck({ plan, phases, thresholds, timeline, ...known }).at(-1) ?? null;
  const { truth: expected, invalid } = /** @type {Fault} */ (FAULTS[made.fault]);
  const truth = expected ?? NOTHING;
  const said = finding ? named(finding, truth.includes('(')) : NOTHING;
  const { outcome: verdict } = run.verdict;
  return {
    made,
    truth,
    said,
    verdict,
    finding,
    most: capacity(known)[0] ?? null,
    right: said === truth && (!invalid || verdict === 'invalid'),
  };
}

/** @param {Outcome[]} outcomes @returns {boolean} whether all limits hold */
function report(outcomes) {
  printTable(
    ['fault', 'size', 'load', 'answers at most', 'at a time', 'named', 'confidence', 'run is', ''],
    outcomes.map(({ made, said, verdict, finding, most, right }) => [
      made.fault,
      String(made.size ?? '-'),
      `x ${made.scale}`,
      most ? perSecond(most.figures.answers_per_s ?? null) : '-',
      String(most?.figures.parallelism ?? '-'),
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
  console.log('\ntrue cause (rows) against named cause (columns)');
  printTable(
    ['', ...columns],
    rows.map(({ truth, counts }) => [truth, ...counts.map((each) => String(each || '.'))]),
  );

  const right = outcomes.filter((each) => each.right).length;
  const { share, low, high } = wilson(right, outcomes.length);
  console.log(
    `right: ${right} of ${outcomes.length}, ${percent(share)} (95 % interval ${percent(low)} to ${percent(high)}); required: at least ${percent(table.MIN_RIGHT)}`,
  );
  const healthy = outcomes.filter(({ made }) => FAULTS[made.fault]?.truth === null);
  const accused = healthy.filter(({ said }) => ![NOTHING, UNKNOWN].includes(said)).length;
  console.log(`${accused} of ${healthy.length} healthy runs named a bottleneck; expected: 0`);
  const wrong = outcomes.filter(({ said, truth }) => ![truth, UNKNOWN, NOTHING].includes(said)).length;
  console.log(`${wrong} runs named a wrong bottleneck`);
  const untrue = outcomes.filter(({ made }) => FAULTS[made.fault]?.invalid);
  const valid = untrue.filter(({ verdict }) => verdict !== 'invalid').length;
  if (untrue.length > 0)
    console.log(
      `${untrue.length - valid} of ${untrue.length} runs with a starved generator were declared invalid; expected: all`,
    );
  return share >= table.MIN_RIGHT && accused === 0 && valid === 0 && (table.WRONG_ALLOWED || wrong === 0);
}

// Round by round, so that an interrupted bench has runs of every fault.
const wanted = Array.from({ length: RUNS }, (_, index) => index + 1).flatMap((number) =>
  NAMES.map((name) => ({ made: draw(name, number), folder: join(POOL, `${name}-${SEED}-${number}`) })),
);
const done = (/** @type {{folder: string}} */ { folder }) => existsSync(join(folder, 'run.json'));
const results = async () => report(await Promise.all(wanted.filter(done).map(({ folder }) => judge(folder))));

const missing = wanted.filter((each) => !done(each));
if (process.env.REANALYSE === '1' || missing.length === 0) {
  if (missing.length === wanted.length) {
    console.error(
      `error: POOL_DIR is "${POOL}", which contains no runs of this bench; valid: a folder that this bench filled`,
    );
    process.exit(2);
  }
  process.exitCode = (await results()) ? 0 : 1;
} else {
  logProgress(`${missing.length} runs, about ${duration(missing.length * RUN_S)}; kept in ${POOL}`);
  await withLabStack(async (lab) => {
    for (const [index, { made, folder }] of missing.entries()) {
      const size = made.size === null ? '' : ` ${made.size} ${FAULTS[made.fault]?.about}`;
      logProgress(`${index + 1}/${missing.length}: ${made.fault}${size}, load x ${made.scale} ...`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'truth.json'), `${JSON.stringify(made)}\n`);
      await make(lab, made, folder);
      const { said, verdict, right } = await judge(folder);
      logProgress(`  named: ${said}; the run is ${verdict}${right ? '' : ': WRONG'}`);
    }
    return results();
  });
}
