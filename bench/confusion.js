/** What was true against what was said. */

/** Standard deviations to either side that hold 95 % of a normal distribution. */
const Z = 1.96;

/**
 * Where a share is, 19 times of 20, by Wilson's score (1927): it holds for few and for all of them, too.
 *
 * @param {number} right
 * @param {number} all at least 1
 * @returns {{share: number, low: number, high: number}}
 */
export function wilson(right, all) {
  const share = right / all;
  const middle = share + Z ** 2 / (2 * all);
  const half = Z * Math.sqrt((share * (1 - share)) / all + Z ** 2 / (4 * all ** 2));
  const whole = 1 + Z ** 2 / all;
  return { share, low: Math.max(0, (middle - half) / whole), high: Math.min(1, (middle + half) / whole) };
}

/**
 * @param {{truth: string, said: string}[]} cases
 * @param {string[]} truths in the order of the rows
 * @returns {{columns: string[], rows: {truth: string, counts: number[]}[]}} columns: all that was said, the truths' own first
 */
export function confusion(cases, truths) {
  const said = new Set(cases.map((each) => each.said));
  const columns = [
    ...truths.filter((truth) => said.has(truth)),
    ...[...said].filter((one) => !truths.includes(one)).sort(),
  ];
  const rows = truths
    .filter((truth) => cases.some((each) => each.truth === truth))
    .map((truth) => ({
      truth,
      counts: columns.map(
        (column) => cases.filter((each) => each.truth === truth && each.said === column).length,
      ),
    }));
  return { columns, rows };
}
