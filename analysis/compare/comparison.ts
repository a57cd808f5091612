/** Two sides held against each other: the document that everything after it reads (comparison.schema.json). */
import { counted } from '../../contract/units.js';
import { cleanDeep } from '../clean-text.ts';
import { targetSettings } from '../collect/target-settings.ts';
import { FAIL, INVALID, PASS } from '../judge/verdict.ts';
import { validator } from '../schemas.ts';
// The schema refers to that of a baseline, which has to be known by then.
import './baseline.ts';
import { CompareError } from './compare-error.ts';
import {
  ALPHA,
  canDecide,
  confidenceOf,
  type Decision,
  decide,
  LEAST_RUNS,
  type Outcome,
  SINGLE_FACTOR,
} from './decide.ts';
import {
  type Digest,
  difference,
  otherMachine,
  parseKey,
  refusal,
  type SeriesName,
  seriesKey,
} from './digest.ts';
import { METRICS, type Metric } from './metrics.ts';
import { nameOf, sentenceOf } from './words.ts';

/** One side as the user gave it. */
export interface Given {
  given: string;
  digests: Digest[];
}

export interface Options {
  /** Names; null: all of them. */
  metrics: string[] | null;
  /** Other changes that count, by metric. */
  least: Record<string, number>;
  /** Each operation, too. */
  operations: boolean;
  /** Runs that missed an objective, too. */
  includeFailed: boolean;
  /** One run against one may fail. */
  allowSingle: boolean;
}

export interface Side {
  given: string;
  runs: { testid: string; started: string | null; commit: string | null }[];
  refused: { testid: string; reason: string }[];
  /** Of the first run. */
  machine: Digest['machine'] | null;
  target: Digest['target'] | null;
}

export type Row = Omit<Metric, 'name' | 'floor' | 'read' | 'of'> &
  SeriesName &
  Decision & { base_values: (number | null)[]; head_values: (number | null)[] };

export interface Comparison {
  schema: 'mcp-load-lab/comparison/1';
  /** Of the folder that it is written to. */
  name: string;
  /** Of all runs; null: none is left to be compared. */
  conditions: Digest['conditions'] | null;
  base: Side;
  head: Side;
  /** single_factor: one run against one counts from so many times the least change; null: it does not count. */
  rule: { alpha: number; confidence: number; least_runs: number; single_factor: number | null };
  /** One run each. */
  single: boolean;
  metrics: Row[];
  notes: string[];
  verdict: { outcome: 'pass' | 'fail' | 'invalid'; exit_code: number; reasons: string[] };
}

const SCHEMA = 'mcp-load-lab/comparison/1';
const validate = validator('compare/comparison.schema.json');

/** @returns the first thing that is wrong, null = a comparison document */
export const validateComparison = (document: unknown): string | null => validate(document);

/** @returns without a secret or a control character in it @throws {CompareError} where the runs are not of the same test */
export function compare(
  name: string,
  base: Given,
  head: Given,
  options: Options,
  secrets: readonly string[] = [],
): Comparison {
  const comparison = cleanDeep(assemble(name, base, head, options), secrets);
  const problem = validateComparison(comparison);
  if (problem) throw new Error(`comparison.json does not match its schema: ${problem}`);
  return comparison;
}

function assemble(name: string, base: Given, head: Given, options: Options): Comparison {
  apart(base, head);
  const sides = [base, head].map((side) => sideOf(side, options));
  const [left, right] = sides as [SideOf, SideOf];
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
      confidence: confidenceOf(left.usable.length, right.usable.length, Math.max(1, rows.length)),
      least_runs: LEAST_RUNS,
      single_factor: options.allowSingle ? SINGLE_FACTOR : null,
    },
    single,
    metrics: rows,
    notes: notesOf(left, right, rows, single),
    verdict: verdictOf(left, right, rows, { single, allowSingle: options.allowSingle }),
  };
}

type SideOf = { usable: Digest[]; document: Side };

function sideOf({ given, digests }: Given, options: Options): SideOf {
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

/** @throws {CompareError} a run that counted twice would look like agreement */
function apart(base: Given, head: Given) {
  const testids = [...base.digests, ...head.digests].map(({ testid }) => testid);
  const twice = testids.find((testid, index) => testids.indexOf(testid) < index);
  if (twice !== undefined)
    throw new CompareError(`${twice} is given twice; valid: each run once, on one side`);
}

function rowsOf(base: Digest[], head: Digest[], { metrics, least, operations, allowSingle }: Options): Row[] {
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
    const valuesOf = (side: Digest[]) => side.map(({ values }) => values[key] ?? null);
    return { metric, base: valuesOf(base), head: valuesOf(head) };
  });
  const decisions = decide(pairs, { allowSingle });
  return pairs.map(({ metric, base: baseValues, head: headValues }, index) => ({
    ...(series[index] as (typeof series)[number]).name,
    title: metric.title,
    unit: metric.unit,
    better: metric.better,
    scale: metric.scale,
    least: metric.least,
    base_values: baseValues,
    head_values: headValues,
    ...(decisions[index] as Decision),
  }));
}

const placeOf = ({ of, name }: SeriesName) => `${of}/${name}`;

/** @returns places as the runs have them: the whole, phases, operations */
function namesInOrder(digests: Digest[]): string[] {
  const places = digests.flatMap(({ values }) => Object.keys(values).map((key) => placeOf(parseKey(key))));
  return [...new Set(places)];
}

/** @returns what a reader has to know beside the figures */
function notesOf(base: SideOf, head: SideOf, rows: Row[], single: boolean): string[] {
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
 * @returns in what the targets differ: it may be what is compared; and what both have that nobody has by default: a setting of an earlier run
 *   stays until it is taken back
 */
function targetNotes(base: Side['target'], head: Side['target']): string[] {
  if (!base || !head) return [];
  const usual = targetSettings('');
  const both = Object.entries(base.settings ?? {}).filter(
    ([setting, value]) => value === head.settings?.[setting] && value !== (usual[setting] ?? value),
  );
  const settings = [...new Set([...Object.keys(base.settings ?? {}), ...Object.keys(head.settings ?? {})])];
  const facts: [string, string | null | undefined, string | null | undefined][] = [
    ['server', base.server, head.server],
    ['protocol era', base.era, head.era],
    ...settings.map(
      (setting) => [setting, base.settings?.[setting], head.settings?.[setting]] as (typeof facts)[number],
    ),
  ];
  return [
    ...facts
      .filter(([, one, other]) => one !== other)
      .map(([what, one, other]) => `${what}: ${one ?? 'none'} in BASE, ${other ?? 'none'} in HEAD`),
    ...(both.length > 0 ? [`both with ${both.map((setting) => setting.join('=')).join(' ')}`] : []),
  ];
}

function verdictOf(
  base: SideOf,
  head: SideOf,
  rows: Row[],
  { single, allowSingle }: { single: boolean; allowSingle: boolean },
): Comparison['verdict'] {
  const empty = [
    ...(base.usable.length === 0 ? [`BASE (${base.document.given})`] : []),
    ...(head.usable.length === 0 ? [`HEAD (${head.document.given})`] : []),
  ];
  if (empty.length > 0) return invalid(`nothing is left to compare of ${empty.join(' and ')}`);
  if (rows.length === 0) return invalid('the runs have none of these metrics');
  const of = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome);
  const [worse, better, same, open] = [of('worse'), of('better'), of('same'), of('inconclusive')];
  const told = [...worse, ...better].map(sentenceOf);
  if (worse.length > 0) return { outcome: 'fail', exit_code: FAIL, reasons: told };
  if (single) {
    const reason = allowSingle
      ? `one run each: nothing is worse by ${SINGLE_FACTOR} times the change that counts`
      : 'one run each: no verdict';
    return { outcome: 'pass', exit_code: PASS, reasons: [reason, ...told] };
  }
  if (open.length === rows.length)
    return invalid(`none of ${counted(rows.length, 'metric')} can be told with these runs`);
  const rest = open.length > 0 ? `; ${counted(open.length, 'metric')} can't be told` : '';
  const reason = `nothing is worse: ${counted(same.length, 'metric')} the same, ${better.length} better${rest}`;
  return { outcome: 'pass', exit_code: PASS, reasons: [reason, ...told] };
}

const invalid = (reason: string): Comparison['verdict'] => ({
  outcome: 'invalid',
  exit_code: INVALID,
  reasons: [reason],
});
