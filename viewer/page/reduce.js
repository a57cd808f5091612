/**
 * A series as one number.
 *
 * @typedef {(number | null)[]} Values null: no sample
 */

/** @param {Values} values @returns {number[]} */
const known = (values) => /** @type {number[]} */ (values.filter((value) => value !== null));

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** @type {Record<string, {text: string, of: (values: Values) => number | null}>} by Grafana's id */
const CALCS = {
  lastNotNull: { text: 'Last', of: (values) => values.findLast((value) => value !== null) ?? null },
  last: { text: 'Last', of: (values) => values.at(-1) ?? null },
  firstNotNull: { text: 'First', of: (values) => values.find((value) => value !== null) ?? null },
  first: { text: 'First', of: (values) => values[0] ?? null },
  mean: {
    text: 'Mean',
    of: (values) => {
      const all = known(values);
      return all.length > 0 ? sum(all) / all.length : null;
    },
  },
  max: { text: 'Max', of: (values) => extreme(values, (a, b) => a > b) },
  min: { text: 'Min', of: (values) => extreme(values, (a, b) => a < b) },
  sum: { text: 'Total', of: (values) => (known(values).length > 0 ? sum(known(values)) : null) },
  count: { text: 'Count', of: (values) => known(values).length },
  range: {
    text: 'Range',
    of: (values) => {
      const [most, least] = [extreme(values, (a, b) => a > b), extreme(values, (a, b) => a < b)];
      return most === null || least === null ? null : most - least;
    },
  },
  diff: {
    text: 'Difference',
    of: (values) => {
      const all = known(values);
      return all.length > 0 ? (all.at(-1) ?? 0) - (all[0] ?? 0) : null;
    },
  },
};

/** @param {Values} values @param {(a: number, b: number) => boolean} isMore */
function extreme(values, isMore) {
  /** @type {number | null} */
  let found = null;
  for (const value of values) if (value !== null && (found === null || isMore(value, found))) found = value;
  return found;
}

/** @param {string} calc @returns {boolean} */
export const isKnownCalc = (calc) => calc in CALCS;

/** @param {string} calc Grafana's id @returns {string} the heading of its column */
export const calcText = (calc) => CALCS[calc]?.text ?? calc;

/** @param {string} calc Grafana's id @param {Values} values @returns {number | null} */
export const reduce = (calc, values) => CALCS[calc]?.of(values) ?? null;
