/** Builds the tables of a comparison as rows of text, independently of the output format. */
import { number, percent } from '../../contract/units.js';
import type { TextTable } from '../render/tables.ts';
import type { Comparison, Row, Side } from './comparison.ts';
import { changeOf, intervalOf, nameOf, shareOf, valueIn } from './words.ts';

/** The most important outcomes come first. */
const RANK = { worse: 0, better: 1, inconclusive: 2, same: 3 };

/** @returns the rows, with changes first */
export const byOutcome = ({ metrics }: Comparison): Row[] =>
  metrics.toSorted((a, b) => RANK[a.outcome] - RANK[b.outcome]);

/** Optional columns. */
export type Column = 'p' | 'min. change';

/** @param without columns to omit in narrow output */
export function metricTable(comparison: Comparison, without: Column[] = []): TextTable {
  const { rule, single } = comparison;
  const absent = [...without, ...(single ? ['interval', 'p'] : [])];
  const columns = COLUMNS.filter(({ name }) => !absent.includes(name));
  const confidence = percent(rule.confidence);
  return {
    title: 'Metrics',
    head: columns.map(({ name }) => (name === 'interval' ? `${confidence} interval` : name)),
    rows: byOutcome(comparison).map((row) => columns.map(({ text }) => text(row))),
  };
}

const COLUMNS: { name: string; text: (row: Row) => string }[] = [
  { name: 'metric', text: nameOf },
  { name: 'base', text: (row) => valueIn(row.unit, row.base) },
  { name: 'head', text: (row) => valueIn(row.unit, row.head) },
  { name: 'change', text: (row) => changeOf(row, row.change) },
  { name: 'interval', text: intervalOf },
  { name: 'p', text: (row) => shareOf(row.p) },
  { name: 'min. change', text: (row) => changeOf(row, row.better === 'more' ? -row.least : row.least) },
  { name: 'outcome', text: (row) => row.outcome },
];

/** @returns the runs of both sides */
export function runTable({ base, head }: Comparison): TextTable {
  const rowsOf = (name: string, side: Side) => [
    ...side.runs.map(({ testid, started, commit }) => [
      name,
      testid,
      started ?? '-',
      commit ?? '-',
      'compared',
    ]),
    ...side.refused.map(({ testid, reason }) => [name, testid, '-', '-', `refused: ${reason}`]),
  ];
  return {
    title: 'Runs',
    head: ['side', 'run', 'started', 'commit', 'status'],
    rows: [...rowsOf('base', base), ...rowsOf('head', head)],
  };
}

/** @returns the decision rule in one or two sentences */
export function ruleOf({ rule, single }: Comparison): string {
  if (single) {
    return rule.single_factor === null
      ? 'One run per side: results vary between runs, so a single pair shows no difference. ALLOW_SINGLE_RUN=1 judges it anyway.'
      : `One run per side: a difference must be at least ${number(rule.single_factor)} times the minimum change (ALLOW_SINGLE_RUN=1).`;
  }
  return `Worse (better): the ${percent(rule.confidence)} interval excludes zero and reaches the minimum change. Same: the interval is within the minimum change. Each run is one value. The change is the Hodges-Lehmann shift; p is from the exact Mann-Whitney test. Intervals are widened for the number of metrics, as far as the runs allow (Bonferroni).`;
}
