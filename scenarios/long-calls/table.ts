/** `make long-calls`: which calls succeed, by length and by whether they request progress. */
import { medianOf } from '../../analysis/statistics/interval.ts';
import { type Built, type Facts, type ReportTable, tableOf } from '../../analysis/tables/report-tables.ts';
import { findingsOf } from './findings.ts';
import { type Row, retryOf, rowsOf } from './rows.ts';

export default function longCalls({ phases, groups, signals }: Facts): Built {
  const measured = phases.filter(({ measured }) => measured);
  const rows = rowsOf(measured, groups);
  if (rows.length === 0) return { tables: [] };
  return {
    tables: [lengthTable(rows)],
    findings: findingsOf(rows, retryOf(measured, groups, signals)),
  };
}

const lengthTable = (rows: readonly Row[]): ReportTable =>
  tableOf(
    'Calls by length',
    rows,
    [
      { name: 'length', unit: 's', of: ({ seconds }) => seconds },
      { name: 'progress', unit: 'text', of: ({ way }) => (way === 'progress' ? 'asked for' : 'no') },
      { name: 'calls', unit: 'count', of: ({ calls }) => calls },
      { name: 'failed', unit: 'count', of: ({ failed }) => failed },
      { name: 'p50', unit: 's', of: ({ took }) => seconds(took, medianOf) },
      { name: 'max', unit: 's', of: ({ took }) => seconds(took, maximum) },
      { name: 'failed after', unit: 's', of: ({ waited }) => seconds(waited, medianOf) },
      { name: 'failures', unit: 'text', of: ({ kinds }) => Object.keys(kinds).join(', ') || null },
      { name: 'notifications', unit: 'count', of: ({ reports }) => reports },
    ],
    [
      'p50 and max: successful calls. Failed after: median of the failed calls. Notifications: on the streams of these calls, without their results.',
      'Clients have their own timeouts: the official TypeScript SDK abandons a call after 60 s by default.',
    ],
  );

/** @param times milliseconds */
const seconds = (times: number[], figureOf: (times: number[]) => number) =>
  times.length === 0 ? null : figureOf(times) / 1000;

const maximum = (times: number[]) => Math.max(...times);
