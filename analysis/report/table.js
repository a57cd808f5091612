/** A table of text as HTML. On a narrow screen each row is a block, so that nothing has to be scrolled to. */
import { html } from './html.js';

/** A figure or an interval with its unit, or none: 12.3, 1,234/s, 45 ms, 2 min 10 s, 1.5 x, $0.01, -3 to +5 %, - */
const FIGURE = /^(-|[-+]?\$?[\d.,]+( to [-+]?[\d.,]+)?(\/s|( [\w%/]+){1,4})?)$/;
/** More rows than any reader reads. */
const MAX_ROWS = 500;

/**
 * @param {object} table
 * @param {string[]} table.head
 * @param {import('./html.js').Part[][]} table.rows the first cell names the row
 * @param {string} [table.caption]
 * @param {(cell: import('./html.js').Part, column: string) => string} [table.classOf] of a cell, beside that of figures
 * @returns {import('./html.js').Html}
 */
export function tableOf({ head, rows, caption, classOf = () => '' }) {
  const shown = rows.slice(0, MAX_ROWS);
  const figures = head.map((_, column) => {
    const cells = shown.map((row) => String(row[column] ?? '-'));
    return column > 0 && cells.every((cell) => FIGURE.test(cell)) && cells.some((cell) => cell !== '-');
  });
  return html`<div class="table stacks"><table>
${caption && html`<caption>${caption}</caption>`}<thead><tr>${head.map(
    (name, column) => html`<th scope="col"${classAttribute(figures[column] ? 'figure' : '')}>${name}</th>`,
  )}</tr></thead>
<tbody>
${shown.map(
  (row) =>
    html`<tr>${row.map((cell, column) => {
      const label = head[column] ?? '';
      const attributes = classAttribute(figures[column] ? 'figure' : '', classOf(cell, label));
      return column === 0
        ? html`<th scope="row"${attributes}>${cell}</th>`
        : html`<td data-label="${label}"${attributes}>${cell}</td>`;
    })}</tr>
`,
)}</tbody></table></div>
${rows.length > shown.length && html`<p class="quiet small">${rows.length - shown.length} more rows in run.json.</p>`}`;
}

/** @param {...string} names */
function classAttribute(...names) {
  const given = names.filter((name) => name !== '');
  return given.length > 0 && html` class="${given.join(' ')}"`;
}
