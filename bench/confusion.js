/** Confusion matrix of true and reported bottlenecks. */

/**
 * @param {{truth: string, said: string}[]} cases
 * @param {string[]} truths in the order of the rows
 * @returns {{columns: string[], rows: {truth: string, counts: number[]}[]}} columns: everything reported, truths first
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
