/** Two sides held against each other: the document that everything after it reads (comparison.schema.json). */
import { counted } from '../../contract/units.js';
import { cleanDeep } from '../clean-text.js';
import { validator } from '../schemas.js';
import { targetKnobs } from '../target-knobs.js';
import { FAIL, INVALID, PASS } from '../verdict.js';
// The schema refers to that of a baseline, which has to be known by then.
import './baseline.js';
import { CompareError } from './compare-error.js';
import { ALPHA, CONFIDENCE, canDecide, decide, LEAST_RUNS, SINGLE_FACTOR } from './decide.js';
import { difference, otherMachine, parseKey, refusal, seriesKey } from './digest.js';
import { METRICS } from './metrics.js';
import { nameOf, sentenceOf } from './words.js';

/**
 * @typedef {import('./digest.js').Digest} Digest
 *
 * @typedef {object} Given one side as the user gave it
 * @property {string} given
 * @property {Digest[]} digests
 *
 * @typedef {object} Options
 * @property {string[] | null} metrics names; null: all of them
 * @property {Record<string, number>} least other changes that count, by metric
 * @property {boolean} operations each operation, too
 * @property {boolean} includeFailed runs that missed an objective, too
 * @property {boolean} allowSingle one run against one may fail
 *
 * @typedef {object} Side
 * @property {string} given
 * @property {{testid: string, started: string | null, commit: string | null}[]} runs
 * @property {{testid: string, reason: string}[]} refused
 * @property {Digest['machine'] | null} machine of the first run
 * @property {Digest['target'] | null} target
 *
 * @typedef {Omit<import('./metrics.js').Metric, 'name' | 'floor' | 'read' | 'of'> & import('./digest.js').SeriesName &
 *   import('./decide.js').Decision & {base_values: (number | null)[], head_values: (number | null)[]}} Row
 *
 * @typedef {object} Comparison
 * @property {'mcp-load-lab/comparison/1'} schema
 * @property {string} name of the folder that it is written to
 * @property {Digest['conditions'] | null} conditions of all runs; null: none is left to be compared
 * @property {Side} base
 * @property {Side} head
 * @property {{alpha: number, confidence: number, least_runs: number, single_factor: number | null}} rule single_factor: one
 *   run against one counts from so many times the least change; null: it does not count
 * @property {boolean} single one run each
 * @property {Row[]} metrics
 * @property {string[]} notes
 * @property {{outcome: 'pass' | 'fail' | 'invalid', exit_code: number, reasons: string[]}} verdict
 */

const SCHEMA = 'mcp-load-lab/comparison/1';
const validate = validator('compare/comparison.schema.json');

/** @param {unknown} document @returns {string | null} the first thing that is wrong, null = a comparison document */
export const validateComparison = (document) => validate(document);

/**
 * @param {string} name
 * @param {Given} base
 * @param {Given} head
 * @param {Options} options
 * @param {readonly string[]} [secrets]
 * @returns {Comparison} without a secret or a control character in it
 * @throws {CompareError} where the runs are not of the same test
 */
export function compare(name, base, head, options, secrets = []) {
  const comparison = cleanDeep(assemble(name, base, head, options), secrets);
  const problem = validateComparison(comparison);
  if (problem) throw new Error(`comparison.json does not match its schema: ${problem}`);
  return comparison;
}

/**
 * @param {string} name
 * @param {Given} base
 * @param {Given} head
 * @param {Options} options
 * @returns {Comparison}
 */
function assemble(name, base, head, options) {
  apart(base, head);
  const sides = [base, head].map((side) => sideOf(side, options));
  const [left, right] = /** @type {[SideOf, SideOf]} */ (sides);
  const usable = [...left.usable, ...right.usable];
  const [first] = usable;
  for (const other of usable.slice(1)) {
    const differs = first && difference(first, other);
    if (differs) throw new CompareError(`these are not runs of the same thing: ${differs}`);
  }
  const single = left.usable.length === 1 && right.usable.length === 1;
  const rows =
    left.usable.length > 0 && right.usable.length > 0 ? rowsOf(left.usable, right.usable, options) : [];
  return {
    schema: SCHEMA,
    name,
    conditions: first?.conditions ?? null,
    base: left.document,
    head: right.document,
    rule: {
      alpha: ALPHA,
      confidence: CONFIDENCE,
      least_runs: LEAST_RUNS,
      single_factor: options.allowSingle ? SINGLE_FACTOR : null,
    },
    single,
    metrics: rows,
    notes: notesOf(left, right, rows, single),
    verdict: verdictOf(left, right, rows, { single, allowSingle: options.allowSingle }),
  };
}

/** @typedef {{usable: Digest[], document: Side}} SideOf */

/** @param {Given} side @param {Options} options @returns {SideOf} */
function sideOf({ given, digests }, options) {
  const usable = digests.filter((digest) => refusal(digest, options) === null);
  const refused = digests.flatMap((digest) => {
    const reason = refusal(digest, options);
    return reason === null ? [] : [{ testid: digest.testid, reason }];
  });
  const runs = usable.map(({ testid, started, commit }) => ({ testid, started, commit }));
  const [first] = usable;
  return {
    usable,
    document: { given, runs, refused, machine: first?.machine ?? null, target: first?.target ?? null },
  };
}

/** @param {Given} base @param {Given} head @throws {CompareError} a run that counted twice would look like agreement */
function apart(base, head) {
  const testids = [...base.digests, ...head.digests].map(({ testid }) => testid);
  const twice = testids.find((testid, index) => testids.indexOf(testid) < index);
  if (twice !== undefined)
    throw new CompareError(`${twice} is given twice; valid: each run once, on one side`);
}

/**
 * @param {Digest[]} base
 * @param {Digest[]} head
 * @param {Options} options
 * @returns {Row[]}
 */
function rowsOf(base, head, { metrics, least, operations, allowSingle }) {
  const chosen = METRICS.filter(({ name }) => metrics === null || metrics.includes(name)).map((metric) => ({
    ...metric,
    least: least[metric.name] ?? metric.least,
  }));
  const keys = new Set([...base, ...head].flatMap(({ values }) => Object.keys(values)));
  const series = [...keys].flatMap((key) => {
    const name = parseKey(key);
    const metric = chosen.find(({ name }) => name === parseKey(key).metric);
    return metric && (operations || name.of !== 'operation') ? [{ name, metric }] : [];
  });
  const order = namesInOrder([...base, ...head]);
  series.sort(
    (a, b) =>
      order.indexOf(placeOf(a.name)) - order.indexOf(placeOf(b.name)) ||
      chosen.indexOf(a.metric) - chosen.indexOf(b.metric),
  );
  const pairs = series.map(({ name, metric }) => {
    const key = seriesKey(name);
    const valuesOf = (/** @type {Digest[]} */ side) => side.map(({ values }) => values[key] ?? null);
    return { metric, base: valuesOf(base), head: valuesOf(head) };
  });
  const decisions = decide(pairs, { allowSingle });
  return pairs.map(({ metric, base: baseValues, head: headValues }, index) => ({
    .../** @type {typeof series[number]} */ (series[index]).name,
    title: metric.title,
    unit: metric.unit,
    better: metric.better,
    scale: metric.scale,
    least: metric.least,
    base_values: baseValues,
    head_values: headValues,
    .../** @type {import('./decide.js').Decision} */ (decisions[index]),
  }));
}

/** @param {import('./digest.js').SeriesName} name */
const placeOf = ({ of, name }) => `${of}/${name}`;

/** @param {Digest[]} digests @returns {string[]} places as the runs have them: the whole, phases, operations */
function namesInOrder(digests) {
  const places = digests.flatMap(({ values }) => Object.keys(values).map((key) => placeOf(parseKey(key))));
  return [...new Set(places)];
}

/**
 * @param {SideOf} base
 * @param {SideOf} head
 * @param {Row[]} rows
 * @param {boolean} single
 * @returns {string[]} what a reader has to know beside the figures
 */
function notesOf(base, head, rows, single) {
  const all = [...base.usable, ...head.usable];
  const [first] = all;
  const machines = first ? [...new Set(all.slice(1).flatMap((other) => otherMachine(first, other)))] : [];
  const counts = [base, head].map(({ usable }) => usable.length);
  const few = rows.length > 0 && !single && !canDecide(base.usable.length, head.usable.length);
  const partial = rows.filter(({ reason }) => reason !== null && !single);
  return [
    ...(machines.length > 0
      ? [`measured on machines that differ, so the difference may be theirs: ${machines.join('; ')}`]
      : []),
    ...(few
      ? [
          `${counts[0]} against ${counted(Number(counts[1]), 'run')} can't show that anything is better or worse: chance does as much too often; ${LEAST_RUNS} a side can`,
        ]
      : []),
    ...targetNotes(base.document.target, head.document.target),
    ...partial.map((row) => `${nameOf(row)} is not compared: ${row.reason}`),
  ];
}

/**
 * @param {Side['target']} base
 * @param {Side['target']} head
 * @returns {string[]} in what the targets differ: it may be what is compared; and what both have that nobody has by default: a
 *   knob of an earlier run stays until it is taken back
 */
function targetNotes(base, head) {
  if (!base || !head) return [];
  const usual = targetKnobs('');
  const both = Object.entries(base.knobs ?? {}).filter(
    ([knob, value]) => value === head.knobs?.[knob] && value !== (usual[knob] ?? value),
  );
  const knobs = [...new Set([...Object.keys(base.knobs ?? {}), ...Object.keys(head.knobs ?? {})])];
  /** @type {[string, string | null | undefined, string | null | undefined][]} */
  const facts = [
    ['server', base.server, head.server],
    ['protocol era', base.era, head.era],
    ...knobs.map(
      (knob) => /** @type {typeof facts[number]} */ ([knob, base.knobs?.[knob], head.knobs?.[knob]]),
    ),
  ];
  return [
    ...facts
      .filter(([, one, other]) => one !== other)
      .map(([what, one, other]) => `${what}: ${one ?? 'none'} in BASE, ${other ?? 'none'} in HEAD`),
    ...(both.length > 0 ? [`both with ${both.map((knob) => knob.join('=')).join(' ')}`] : []),
  ];
}

/**
 * @param {SideOf} base
 * @param {SideOf} head
 * @param {Row[]} rows
 * @param {{single: boolean, allowSingle: boolean}} how
 * @returns {Comparison['verdict']}
 */
function verdictOf(base, head, rows, { single, allowSingle }) {
  const empty = [
    ...(base.usable.length === 0 ? [`BASE (${base.document.given})`] : []),
    ...(head.usable.length === 0 ? [`HEAD (${head.document.given})`] : []),
  ];
  if (empty.length > 0) return invalid(`nothing is left to compare of ${empty.join(' and ')}`);
  if (rows.length === 0) return invalid('the runs have none of these metrics');
  const of = (/** @type {import('./decide.js').Outcome} */ outcome) =>
    rows.filter((row) => row.outcome === outcome);
  const [worse, better, same, open] = [of('worse'), of('better'), of('same'), of('inconclusive')];
  const told = [...worse, ...better].map(sentenceOf);
  if (worse.length > 0) return { outcome: 'fail', exit_code: FAIL, reasons: told };
  if (single) {
    const reason = allowSingle
      ? `one run each: nothing is worse by ${SINGLE_FACTOR} times the change that counts`
      : 'one run each: no verdict';
    return { outcome: 'pass', exit_code: PASS, reasons: [reason, ...told] };
  }
  const needed = open.flatMap(({ runs_needed }) => runs_needed ?? []);
  const more =
    needed.length === open.length && open.length > 0
      ? `, ${counted(Math.max(...needed), 'run')} a side would tell`
      : '';
  if (open.length === rows.length)
    return invalid(`none of ${counted(rows.length, 'metric')} can be told with these runs${more}`);
  const rest = open.length > 0 ? `; ${counted(open.length, 'metric')} can't be told${more}` : '';
  const reason = `nothing is worse: ${counted(same.length, 'metric')} the same, ${better.length} better${rest}`;
  return { outcome: 'pass', exit_code: PASS, reasons: [reason, ...told] };
}

/** @param {string} reason @returns {Comparison['verdict']} */
const invalid = (reason) => ({ outcome: 'invalid', exit_code: INVALID, reasons: [reason] });
