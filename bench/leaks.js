/**
 * `make bench-leaks`: does a run find leaks with the right rate, and none on a healthy target? Memory and database
 * connections leak at known rates while the soak test runs on a freshly started target. The run's findings are compared
 * with these rates.
 *
 *   RUNS=1          runs per rate
 *   MINUTES=6       total length of a run's windows, at least 4
 *   RATE_SCALE=0.25 factor of the soak's 400 requests/s
 *   ONLY=memory     healthy, memory or connections, or several of them separated by commas
 */
import { duration, number, percent } from '../contract/units.js';
import { printTable } from './figures.ts';
import { count, logProgress } from './harness.ts';
import { withLabStack } from './lab-stack.js';
import { runLeak } from './leaks/run-leak.js';

const RUNS = count('RUNS', 1);
const MINUTES = count('MINUTES', 6);
const LEAST_MINUTES = 4;
const RATE_SCALE = process.env.RATE_SCALE || '0.25';
/** Duration of a run apart from its windows: start of the target, warm-up, analysis. */
const OVERHEAD_S = 45;
const MOST_OFF = 0.1;

/** V8 alone makes the target's memory fluctuate by 100 to 200 MB. */
const MB_PER_MINUTE = [100, 200, 400];
/** Connections leaked during the whole run: the pools have 50, and the rest must be enough for the load. */
const CONNECTIONS = [12, 24, 36];

/**
 * @typedef {object} Case
 * @property {'healthy' | 'memory' | 'connections'} what
 * @property {string} subject subject of the expected finding
 * @property {number} perMinute injected rate, in `unit` per minute
 * @property {string} unit
 * @property {string} figure name of the finding's figure with the rate
 * @property {number} factor converts the figure to `unit` per minute
 * @property {Record<string, number>} faults
 *
 * @typedef {object} Outcome
 * @property {number | null} estimated rate per minute
 * @property {[low: number, high: number] | null} interval
 * @property {string[]} claimed subjects of all leak findings
 * @property {string[]} problems why the run does not count
 */

/** @type {Case[]} */
const CASES = [
  { what: 'healthy', subject: '', perMinute: 0, unit: '', figure: '', factor: 1, faults: {} },
  ...MB_PER_MINUTE.map((perMinute) => ({
    what: /** @type {const} */ ('memory'),
    subject: 'memory',
    perMinute,
    unit: 'MB',
    figure: 'bytes_per_hour',
    factor: 1 / 60e6,
    faults: { memory_leak_mb_per_minute: perMinute },
  })),
  ...CONNECTIONS.map((connections) => ({
    what: /** @type {const} */ ('connections'),
    subject: 'pool connections',
    perMinute: connections / MINUTES,
    unit: 'connections',
    figure: 'count_per_hour',
    factor: 1 / 60,
    faults: { pool_leak_per_minute: connections / MINUTES },
  })),
];
const CHOSEN = chosen(process.env.ONLY);

/** @param {string | undefined} text @returns {Case[]} */
function chosen(text) {
  const kinds = [...new Set(CASES.map(({ what }) => what))];
  const names = text ? text.split(',') : kinds;
  const wrong = names.find((name) => !kinds.some((kind) => kind === name));
  if (wrong !== undefined) {
    console.error(`error: ONLY has "${wrong.slice(0, 80)}"; valid: ${kinds.join(', ')}`);
    process.exit(2);
  }
  return CASES.filter(({ what }) => names.includes(what));
}

if (MINUTES < LEAST_MINUTES) {
  console.error(`error: MINUTES is "${MINUTES}"; valid: ${LEAST_MINUTES} or more`);
  process.exit(2);
}

await withLabStack(async (lab) => {
  const planned = Array.from({ length: RUNS }, () => CHOSEN).flat();
  logProgress(`${planned.length} runs, about ${duration(planned.length * (MINUTES * 60 + OVERHEAD_S))}`);
  const rows = [];
  let good = true;
  for (const [index, one] of planned.entries()) {
    logProgress(`${index + 1}/${planned.length}: ${nameOf(one)} ...`);
    const outcome = await observed(lab, one);
    const off = outcome.estimated === null ? null : Math.abs(outcome.estimated / one.perMinute - 1);
    const holds = keeps(one, outcome, off);
    good &&= holds;
    rows.push([
      nameOf(one),
      outcome.estimated === null ? '-' : number(outcome.estimated),
      outcome.interval ? outcome.interval.map((end) => number(end)).join(' to ') : '-',
      off === null ? '-' : percent(off),
      outcome.claimed.join(', ') || 'none',
      outcome.problems.join('; ') || (holds ? 'ok' : 'missed'),
    ]);
  }
  printTable(['injected per minute', 'estimated', '95 %', 'off', 'leaks claimed', ''], rows);
  return good;
});

/** @param {Case} one */
function nameOf({ what, perMinute, unit }) {
  return what === 'healthy' ? 'nothing' : `${number(perMinute)} ${unit}`;
}

/**
 * @param {Case} one
 * @param {Outcome} outcome
 * @param {number | null} off
 * @returns {boolean}
 */
function keeps({ subject }, { claimed, problems }, off) {
  if (problems.length > 0 || claimed.some((other) => other !== subject)) return false;
  return subject === '' || (off !== null && off <= MOST_OFF);
}

/**
 * @param {import('./lab-stack.js').LabStack} lab
 * @param {Case} one
 * @returns {Promise<Outcome>}
 */
async function observed(lab, { subject, figure, factor, faults }) {
  const { code, output, run } = await runLeak(lab, faults, { DURATION: `${MINUTES}m`, RATE_SCALE });
  if (!run) throw new Error(`the run ended with exit code ${code}:\n${output.slice(-2000)}`);
  /** @type {import('../analysis/findings/finding.ts').Finding[]} */
  const leaks = run.findings.filter(
    (/** @type {import('../analysis/findings/finding.ts').Finding} */ { kind }) => kind === 'leak',
  );
  const figures = leaks.find((leak) => leak.subject === subject)?.figures ?? {};
  const at = (/** @type {string} */ name) => {
    const value = figures[name];
    return value == null ? null : value * factor;
  };
  const [low, high] = [at(`${figure}_low`), at(`${figure}_high`)];
  return {
    estimated: at(figure),
    interval: low === null || high === null ? null : [low, high],
    claimed: leaks.map((leak) => leak.subject),
    problems: undelivered(run),
  };
}

/** @param {any} run @returns {string[]} the phases whose load was not delivered, which makes the run useless */
function undelivered({ phases }) {
  const short = phases.filter(
    (/** @type {import('../analysis/judge/phases.ts').Phase} */ { measured, offered_rps, achieved_rps }) =>
      measured && offered_rps !== null && Number(achieved_rps) < 0.9 * offered_rps,
  );
  return short.length > phases.length / 2 ? ['the load was not delivered'] : [];
}
