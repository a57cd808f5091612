/**
 * Renders a table as HTML. On narrow screens each row is a block, to avoid horizontal scrolling.
 */
import { dotStrip } from './dot-strip.ts';
import { html, type Part } from './html.ts';
import type { Cell, Table } from './model.ts';

/**
 * A figure or an interval with its unit, or a missing value: 12.3, 1,234/s, 45 ms, 2 min 10 s, 1.5 x, $0.01,
 * -3 to +5 %, -
 */
const FIGURE = /^(-|[-+]?\$?[\d.,]+( to [-+]?[\d.,]+)?(\/s|( [\w%/]+){1,4})?)$/;
/** Number of rows that narrow screens show at first. */
const NARROW_ROWS = 5;
/** Maximum number of rows. */
const MAX_ROWS = 500;

const textOf = (cell: Cell | undefined) => (typeof cell === 'object' ? cell.text : (cell ?? '-'));

export function tableOf({ title, head, rows }: Table) {
  const visibleRows = rows.slice(0, MAX_ROWS);
  const isFigure = head.map((_, column) => {
    const cells = visibleRows.map((row) => textOf(row[column]));
    return column > 0 && cells.every((cell) => FIGURE.test(cell)) && cells.some((cell) => cell !== '-');
  });
  const classes = (column: number, cell?: Cell) => {
    const tone = typeof cell === 'object' && cell.tone && `is-${cell.tone}`;
    const names = [isFigure[column] && 'figure', tone].filter(Boolean).join(' ');
    return names !== '' && html` class="${names}"`;
  };
  const more =
    visibleRows.length > NARROW_ROWS &&
    html`<details class="more"><summary>Show all ${visibleRows.length} rows</summary></details>`;
  return html`<div class="table">${title && html`<h3>${title}</h3>`}<table>
<thead><tr>${head.map((name, column) => html`<th scope="col"${classes(column)}>${name}</th>`)}</tr></thead>
<tbody>
${visibleRows.map(
  (row) =>
    html`<tr>${row.map((cell, column) =>
      column === 0
        ? html`<th scope="row"${classes(column, cell)}>${content(cell)}</th>`
        : html`<td data-label="${head[column]}"${classes(column, cell)}>${content(cell)}</td>`,
    )}</tr>
`,
)}</tbody></table>${more}${rows.length > MAX_ROWS && html`<p class="quiet">${rows.length - MAX_ROWS} more rows in run.json.</p>`}</div>
`;
}

function content(cell: Cell): Part {
  if (typeof cell !== 'object') return cell;
  const { text, aside, chart, isCode, dots } = cell;
  if (dots) return dotStrip(dots, text);
  const main = isCode ? html`<code>${text}</code>` : text;
  return [
    chart ? html`<a href="#${chart}">${main}</a>` : main,
    aside && html` <span class="quiet">${aside}</span>`,
  ];
}
