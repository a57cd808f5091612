/**
 * Where the panels of a dashboard are, with some of its rows collapsed.
 *
 * @typedef {object} Row
 * @property {any | null} row its JSON; null for what is above the first row
 * @property {any[]} panels
 */

/** Grafana's grid: columns, a cell's height and the gap between two cells in pixels. */
export const GRID = { columns: 24, cell: 30, gap: 8 };

/**
 * @param {any} dashboard its JSON
 * @returns {Row[]} in reading order; a row that the JSON has collapsed holds its panels itself
 */
export function rowsOf(dashboard) {
  /** @type {Row[]} */
  const rows = [{ row: null, panels: [] }];
  for (const panel of dashboard.panels ?? []) {
    if (panel.type === 'row') rows.push({ row: panel, panels: [...(panel.panels ?? [])] });
    else rows.at(-1)?.panels.push(panel);
  }
  return rows.filter(({ row, panels }) => row !== null || panels.length > 0);
}

/** @param {any} dashboard @returns {any[]} all panels but rows */
export function panelsOf(dashboard) {
  return rowsOf(dashboard).flatMap(({ panels }) => panels);
}

/**
 * @param {any[]} panels of one row
 * @returns {{panel: any, column: number, width: number, line: number, height: number}[]} places from the row's own top, 1 the first
 */
export function placesIn(panels) {
  const top = Math.min(...panels.map(({ gridPos }) => gridPos.y));
  return panels.map((panel) => ({
    panel,
    column: panel.gridPos.x + 1,
    width: panel.gridPos.w,
    line: panel.gridPos.y - top + 1,
    height: panel.gridPos.h,
  }));
}
