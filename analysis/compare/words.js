/** A comparison's figures as people read them. */

import { inUnit, milliseconds, number, percent } from '../../contract/units.js';
import { MOST_RUNS } from './decide.js';

/** @typedef {import('./comparison.js').Row} Row */

const NO_FIGURE = '-';

/** @param {Pick<Row, 'of' | 'name' | 'title'>} row @returns {string} for example p99 in heavy */
export function nameOf({ of, name, title }) {
  if (of === 'run') return title;
  return `${title} ${of === 'phase' ? 'in' : 'of'} ${name}`;
}

/** @param {string} unit @param {number | null} value @returns {string} */
export const valueIn = (unit, value) => (unit === 'milliseconds' ? milliseconds(value) : inUnit(unit, value));

/**
 * @param {Pick<Row, 'scale' | 'unit'>} row
 * @param {number | null} change
 * @returns {string} with its sign: +10.2 %, -0.1 points (hundredths, of what is a share itself)
 */
export function changeOf({ scale, unit }, change) {
  if (change === null) return NO_FIGURE;
  const sign = change > 0 ? '+' : '';
  if (scale === 'ratio') return `${sign}${percent(change)}`;
  return `${sign}${unit === 'ratio' ? `${number(change * 100)} points` : valueIn(unit, change)}`;
}

/** @param {Row} row @returns {string} for example +5 to +15.3 % */
export function intervalOf(row) {
  if (row.low === null || row.high === null) return NO_FIGURE;
  const [low, high] = [changeOf(row, row.low), changeOf(row, row.high)];
  const unit = / \S+$/.exec(high)?.[0] ?? '';
  return `${low.endsWith(unit) ? low.slice(0, low.length - unit.length) : low} to ${high}`;
}

/** @param {number | null} p @returns {string} */
export function shareOf(p) {
  if (p === null) return NO_FIGURE;
  return p < 0.0001 ? '< 0.0001' : number(p, 2);
}

/** @param {Row} row @returns {string} runs a side that would decide what these can't */
export function neededOf({ outcome, runs_needed }) {
  if (outcome !== 'inconclusive') return NO_FIGURE;
  return runs_needed === null ? `> ${MOST_RUNS}` : number(runs_needed);
}

/** @param {Row} row @returns {string} one sentence */
export function sentenceOf(row) {
  const values = `${valueIn(row.unit, row.base)} and ${valueIn(row.unit, row.head)}`;
  const interval = row.low === null ? '' : ` (${intervalOf(row)})`;
  return `${nameOf(row)} is ${row.outcome}: ${changeOf(row, row.change)}${interval}, medians ${values}`;
}
