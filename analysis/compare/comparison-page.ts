/** Builds the page of a comparison. */
import { counted } from '../../contract/units.js';
import type { Page, Section, Tone } from '../../page/model.ts';
import { machineText } from '../render/facts.ts';
import type { Comparison, Row, Side } from './comparison.ts';
import { byOutcome, metricTable, ruleOf, runTable } from './tables.ts';
import { nameOf, valueIn } from './words.ts';

const TONES: Record<string, Tone> = { worse: 'fail', better: 'pass' };

export function pageOfComparison(comparison: Comparison): Page {
  const { conditions, base, head, notes, verdict } = comparison;
  const [reason = '', ...others] = verdict.reasons;
  const { head: columns, rows } = runTable(comparison);
  const sections: (Section | null)[] = [
    metricsSection(comparison),
    notes.length > 0 ? { id: 'notes', title: 'Notes', texts: notes } : null,
    { id: 'runs', title: 'Runs', tables: [{ head: columns, rows }] },
    factsOf('base', base),
    factsOf('head', head),
  ];
  return {
    outcome: verdict.outcome,
    headline: `${verdict.outcome.toUpperCase()}: ${reason}`,
    title: `${head.given} against ${base.given}`,
    reasons: others,
    about: [
      conditions ? `${conditions.test}, profile ${conditions.profile}` : 'comparison',
      `${counted(base.runs.length, 'run')} of base, ${counted(head.runs.length, 'run')} of head`,
    ],
    figures: [],
    plots: null,
    findings: null,
    sections: sections.filter((section) => section !== null),
  };
}

function metricsSection(comparison: Comparison): Section | null {
  const { head, rows } = metricTable(comparison);
  if (rows.length === 0) return null;
  const outcome = head.indexOf('outcome');
  const sorted = byOutcome(comparison);
  return {
    id: 'metrics',
    title: 'Metrics',
    texts: [
      'One dot per run, from the lowest value to the highest: base above, head below. Lines are medians.',
      ruleOf(comparison),
    ],
    tables: [
      {
        head: ['metric', 'runs', ...head.slice(1)],
        rows: rows.map((row, index) => {
          const metric = sorted[index] as Row;
          const tone = TONES[metric.outcome];
          const cells = row.map((text, column) => (column === outcome && tone ? { text, tone } : text));
          return [cells[0] ?? '', { text: dotsLabel(metric), dots: dotsOf(metric) }, ...cells.slice(1)];
        }),
      },
    ],
  };
}

const dotsOf = ({ base_values, head_values, base, head }: Row) => ({
  base: base_values,
  head: head_values,
  baseMedian: base,
  headMedian: head,
});

function dotsLabel(row: Row): string {
  const values = (all: (number | null)[]) => all.map((value) => valueIn(row.unit, value)).join(', ');
  return `${nameOf(row)}: base ${values(row.base_values)}; head ${values(row.head_values)}`;
}

function factsOf(name: string, { machine, target }: Side): Section | null {
  if (!machine) return null;
  const settings = Object.entries(target?.settings ?? {}).map(([setting, value]) => `${setting}=${value}`);
  return {
    id: `${name}-facts`,
    title: `Machine and target of ${name}`,
    isFolded: true,
    facts: [
      ['machine', machineText(machine)],
      ['versions', `k6 ${machine.k6 ?? 'unknown'}, node ${machine.node ?? 'unknown'}`],
      ['target', [target?.server, target?.era, ...settings].filter(Boolean).join(' ')],
    ],
  };
}
