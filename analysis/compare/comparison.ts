/** Builds the comparison document, which all later steps read (comparison.schema.json). */
import { counted } from '../../contract/units.js';
import { cleanDeep } from '../clean-text.ts';
import { targetSettings } from '../collect/target-settings.ts';
import { FAIL, INVALID, PASS } from '../judge/verdict.ts';
import { validator } from '../schemas.ts';
// Registers the schema of a baseline, which the comparison's schema refers to.
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

/** One side as specified by the user. */
export interface Given {
  given: string;
  digests: Digest[];
}

export interface Options {
  /** Names of metrics; null for all. */
  metrics: string[] | null;
  /** Smallest relevant change by metric, if it differs from the default. */
  least: Record<string, number>;
  /** Whether to compare each operation as well. */
  operations: boolean;
  /** Whether to include runs that missed an objective. */
  includeFailed: boolean;
  /** Whether a comparison of two single runs may fail. */
  allowSingle: boolean;
}

export interface Side {
  given: string;
  runs: { testid: string; started: string | null; commit: string | null }[];
  refused: { testid: string; reason: string }[];
  /** From the first run. */
  machine: Digest['machine'] | null;
  target: Digest['target'] | null;
}

export type Row = Omit<Metric, 'name' | 'floor' | 'read' | 'of'> &
  SeriesName &
  Decision & { base_values: (number | null)[]; head_values: (number | null)[] };

export interface Comparison {
  schema: 'mcp-load-lab/comparison/1';
  /** Name of the directory that the results are written to. */
  name: string;
  /** Conditions of all runs; null if no run is left to compare. */
  conditions: Digest['conditions'] | null;
  base: Side;
  head: Side;
  /**
   * single_factor: multiple of the smallest relevant change from which a comparison of two single runs
   * counts; null if it does not count.
   */
  rule: { alpha: number; confidence: number; least_runs: number; single_factor: number | null };
  /** Whether each side has a single run. */
  single: boolean;
  metrics: Row[];
  notes: string[];
  verdict: { outcome: 'pass' | 'fail' | 'invalid'; exit_code: number; reasons: string[] };
}

const SCHEMA = 'mcp-load-lab/comparison/1';
const validate = validator('compare/comparison.schema.json');

/** @returns the first error; null if the document is a comparison */
export const validateComparison = (document: unknown): string | null => validate(document);

/**
 * @returns the comparison without secrets or control characters
 * @throws {CompareError} if the runs are of different tests
 */
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
  requireDistinctRuns(base, head);
  const sides = [base, head].map((side) => sideOf(side, options));
  const [baseSide, headSide] = sides as [SideOf, SideOf];
  const usable = [...baseSide.usable, ...headSide.usable];
  const [first] = usable;
  for (const other of usable.slice(1)) {
    const differs = first && difference(first, other);
    if (differs) throw new CompareError(`these runs are not comparable: ${differs}`);
  }
  const single = baseSide.usable.length === 1 && headSide.usable.length === 1;
  const rows =
    baseSide.usable.length > 0 && headSide.usable.length > 0
      ? rowsOf(baseSide.usable, headSide.usable, options)
      : [];
  return {
    schema: SCHEMA,
    name,
    conditions: first?.conditions ?? null,
    base: baseSide.document,
    head: headSide.document,
    rule: {
      alpha: ALPHA,
      confidence: confidenceOf(baseSide.usable.length, headSide.usable.length, Math.max(1, rows.length)),
      least_runs: LEAST_RUNS,
      single_factor: options.allowSingle ? SINGLE_FACTOR : null,
    },
    single,
    metrics: rows,
    notes: notesOf(baseSide, headSide, rows, single),
    verdict: verdictOf(baseSide, headSide, rows, { single, allowSingle: options.allowSingle }),
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

/** @throws {CompareError} if a run is on both sides, which would look like agreement */
function requireDistinctRuns(base: Given, head: Given) {
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

/** @returns the keys of the series in the order of the runs: the whole run, phases, operations */
function namesInOrder(digests: Digest[]): string[] {
  const places = digests.flatMap(({ values }) => Object.keys(values).map((key) => placeOf(parseKey(key))));
  return [...new Set(places)];
}

/** @returns facts that the reader needs to interpret the figures */
function notesOf(base: SideOf, head: SideOf, rows: Row[], single: boolean): string[] {
  const all = [...base.usable, ...head.usable];
  const [first] = all;
  const machines = first ? [...new Set(all.slice(1).flatMap((other) => otherMachine(first, other)))] : [];
  const counts = [base, head].map(({ usable }) => usable.length);
  const few = rows.length > 0 && !single && !canDecide(base.usable.length, head.usable.length);
  const partial = rows.filter(({ reason }) => reason !== null && !single);
  return [
    ...(machines.length > 0
      ? [`measured on different machines, which may explain the difference: ${machines.join('; ')}`]
      : []),
    ...(few
      ? [
          `${counts[0]} against ${counted(Number(counts[1]), 'run')} cannot show that anything is better or worse, because chance has the same effect too often; at least ${LEAST_RUNS} runs per side are needed`,
        ]
      : []),
    ...targetNotes(base.document.target, head.document.target),
    ...partial.map((row) => `${nameOf(row)} is not compared: ${row.reason}`),
  ];
}

/**
 * @returns differences between the targets, which may be the subject of the comparison, and common settings
 *   that differ from the defaults, because a setting of an earlier run may still be in effect
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
  if (empty.length > 0) return invalid(`no runs are left to compare in ${empty.join(' and ')}`);
  if (rows.length === 0) return invalid('the runs have none of these metrics');
  const withOutcome = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome);
  const [worse, better, same, open] = [
    withOutcome('worse'),
    withOutcome('better'),
    withOutcome('same'),
    withOutcome('inconclusive'),
  ];
  const changes = [...worse, ...better].map(sentenceOf);
  if (worse.length > 0) return { outcome: 'fail', exit_code: FAIL, reasons: changes };
  if (single) {
    const reason = allowSingle
      ? `one run per side: nothing is worse by ${SINGLE_FACTOR} times the minimum change`
      : 'one run per side: no verdict';
    return { outcome: 'pass', exit_code: PASS, reasons: [reason, ...changes] };
  }
  if (open.length === rows.length)
    return invalid(`all metrics (${rows.length}) are inconclusive with these runs`);
  const rest = open.length > 0 ? `, ${open.length} inconclusive` : '';
  const reason = `nothing is worse: ${counted(same.length, 'metric')} the same, ${better.length} better${rest}`;
  return { outcome: 'pass', exit_code: PASS, reasons: [reason, ...changes] };
}

const invalid = (reason: string): Comparison['verdict'] => ({
  outcome: 'invalid',
  exit_code: INVALID,
  reasons: [reason],
});
