/**
 * Answers as a table, and what Grafana's transformations do to it.
 *
 * @typedef {string | number | null} Cell
 * @typedef {{name: string, refId: string, isLabel: boolean}} Column
 * @typedef {{columns: Column[], rows: Cell[][]}} Table
 */

/** @type {Record<string, (tables: Table[], options: any) => Table[]>} by Grafana's id */
export const TRANSFORMATIONS = {
  merge,
  organize: (tables, options) => tables.map((table) => organize(table, options)),
};

/**
 * @param {import('./panel-queries.js').Frame[]} frames of one query, each of one moment
 * @param {string} refId
 * @param {boolean} isOnly of the panel's queries
 * @param {number} timeS
 * @returns {Table} time, labels, value
 */
export function tableOf(frames, refId, isOnly, timeS) {
  const labels = [...new Set(frames.flatMap((frame) => Object.keys(frame.labels)))].sort();
  return {
    columns: [
      { name: 'Time', refId, isLabel: false },
      ...labels.map((name) => ({ name, refId, isLabel: true })),
      { name: isOnly ? 'Value' : `Value #${refId}`, refId, isLabel: false },
    ],
    rows: frames.map((frame) => [
      timeS * 1000,
      ...labels.map((label) => frame.labels[label] ?? null),
      frame.values.at(-1) ?? null,
    ]),
  };
}

/**
 * @param {Table[]} tables
 * @param {{id: string, options?: any, disabled?: boolean}[]} transformations
 * @returns {Table} the first that is left
 */
export function transformed(tables, transformations) {
  let left = tables;
  for (const { id, options, disabled } of transformations) {
    if (!disabled) left = TRANSFORMATIONS[id]?.(left, options ?? {}) ?? left;
  }
  return left[0] ?? { columns: [], rows: [] };
}

/**
 * One table of all: rows that agree in all columns that the tables share become one.
 *
 * @param {Table[]} all
 * @returns {Table[]}
 */
function merge(all) {
  // A query without an answer has no labels, and would leave the others nothing in common.
  const tables = all.filter(({ rows }) => rows.length > 0);
  const [first] = tables;
  if (!first) return all.slice(0, 1);
  /** @type {Column[]} */
  const columns = [];
  for (const { columns: own } of all) {
    for (const column of own) if (!columns.some(({ name }) => name === column.name)) columns.push(column);
  }
  const shared = first.columns
    .map(({ name }) => name)
    .filter((name) => tables.every((table) => table.columns.some((column) => column.name === name)));
  /** @type {Map<string, Cell[]>} */
  const rows = new Map();
  for (const table of tables) {
    for (const cells of table.rows) {
      const byName = new Map(table.columns.map(({ name }, index) => [name, cells[index] ?? null]));
      const key = JSON.stringify(shared.map((name) => byName.get(name)));
      const row = rows.get(key) ?? columns.map(() => null);
      for (const [index, { name }] of columns.entries()) row[index] = byName.get(name) ?? row[index] ?? null;
      rows.set(key, row);
    }
  }
  return [{ columns, rows: [...rows.values()] }];
}

/**
 * @param {Table} table
 * @param {{excludeByName?: Record<string, boolean>, indexByName?: Record<string, number>, renameByName?: Record<string, string>}} options
 * @returns {Table}
 */
function organize({ columns, rows }, { excludeByName = {}, indexByName = {}, renameByName = {} }) {
  /** @param {string} name */
  const place = (name) => indexByName[name] ?? Number.MAX_SAFE_INTEGER;
  const order = columns
    .map((column, index) => ({ column, index }))
    .filter(({ column }) => !excludeByName[column.name])
    .sort((a, b) => place(a.column.name) - place(b.column.name) || a.index - b.index);
  return {
    columns: order.map(({ column }) => ({ ...column, name: renameByName[column.name] || column.name })),
    rows: rows.map((row) => order.map(({ index }) => row[index] ?? null)),
  };
}

/**
 * @param {Table} table
 * @param {number} column
 * @param {boolean} descending
 * @returns {Cell[][]} rows; empty cells last
 */
export function sortedRows({ rows }, column, descending) {
  const order = (/** @type {Cell | undefined} */ a, /** @type {Cell | undefined} */ b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : natural(String(a), String(b));
  return rows.toSorted(({ [column]: a = null }, { [column]: b = null }) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return descending ? order(b, a) : order(a, b);
  });
}

const { compare: natural } = new Intl.Collator('en', { numeric: true });
