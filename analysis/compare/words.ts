/** Formats the figures of a comparison. */

import { inUnit, milliseconds, number, percent } from '../../contract/units.js';
import type { Row } from './comparison.ts';

const NO_FIGURE = '-';

/** @returns for example p99 in heavy */
export function nameOf({ of, name, title }: Pick<Row, 'of' | 'name' | 'title'>): string {
  if (of === 'run') return title;
  return `${title} ${of === 'phase' ? 'in' : 'of'} ${name}`;
}

export const valueIn = (unit: string, value: number | null): string =>
  unit === 'milliseconds' ? milliseconds(value) : inUnit(unit, value);

/** @returns the change with its sign: +10.2 %, or -0.1 points for the difference of two shares */
export function changeOf({ scale, unit }: Pick<Row, 'scale' | 'unit'>, change: number | null): string {
  if (change === null) return NO_FIGURE;
  const sign = change > 0 ? '+' : '';
  if (scale === 'ratio') return `${sign}${percent(change)}`;
  return `${sign}${unit === 'ratio' ? `${number(change * 100)} points` : valueIn(unit, change)}`;
}

/** @returns for example +5 to +15.3 % */
export function intervalOf(row: Row): string {
  if (row.low === null || row.high === null) return NO_FIGURE;
  const [low, high] = [changeOf(row, row.low), changeOf(row, row.high)];
  const unit = / \S+$/.exec(high)?.[0] ?? '';
  return `${low.endsWith(unit) ? low.slice(0, low.length - unit.length) : low} to ${high}`;
}

export function shareOf(p: number | null): string {
  if (p === null) return NO_FIGURE;
  return p < 0.0001 ? '< 0.0001' : number(p, 2);
}

/** @returns one sentence */
export function sentenceOf(row: Row): string {
  const values = `${valueIn(row.unit, row.base)} and ${valueIn(row.unit, row.head)}`;
  const interval = row.low === null ? '' : ` (${intervalOf(row)})`;
  return `${nameOf(row)} is ${row.outcome}: ${changeOf(row, row.change)}${interval}, medians ${values}`;
}
