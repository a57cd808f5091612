/** Rows and columns; a heading sorts. */
import { cssColor, readableOn, textColor } from '../colors.js';
import { element } from '../element.js';
import { fieldConfig } from '../field-config.js';
import { mapped } from '../mappings.js';
import { thresholdColor } from '../thresholds.js';
import { sortedRows, tableOf, transformed } from '../transformations.js';
import { format } from '../units.js';

/** @type {import('../scene.js').Mount} */
export function mountTable(body, hooks) {
  const head = element('tr');
  const rows = element('tbody');
  body.replaceChildren(
    element('div', { class: 'table', tabIndex: 0 }, element('table', {}, element('thead', {}, head), rows)),
  );
  /** @type {{name: string, descending: boolean} | null} what the reader chose */
  let chosen = null;
  let drawn = '';

  return {
    draw(scene) {
      const table = contentOf(scene);
      const given = scene.panel.options?.sortBy?.[0];
      const sort = chosen ?? (given ? { name: given.displayName, descending: given.desc === true } : null);
      const state = JSON.stringify([table, sort, scene.theme]);
      if (state === drawn) return;
      const focused = document.activeElement?.closest('th') ? document.activeElement.textContent : null;
      drawn = state;
      const configs = table.columns.map(({ name, refId }) => fieldConfig(scene.panel, { name, refId }));
      // A column of numbers is aligned like one, also where some are missing.
      const isNumber = table.columns.map(({ isLabel }) => !isLabel);
      const by = sort ? table.columns.findIndex(({ name }) => name === sort.name) : -1;
      head.replaceChildren(
        ...table.columns.map(({ name }, index) => {
          const isSorted = index === by;
          const button = element(
            'button',
            {
              type: 'button',
              onclick: () => {
                chosen = { name, descending: isSorted ? !sort?.descending : isNumber[index] === true };
                hooks.redraw();
              },
            },
            name,
            isSorted
              ? element('span', { class: 'sorted', 'aria-hidden': 'true' }, sort?.descending ? '↓' : '↑')
              : '',
          );
          const order = isSorted ? (sort?.descending ? 'descending' : 'ascending') : 'none';
          return element(
            'th',
            { scope: 'col', class: isNumber[index] ? 'number' : '', 'aria-sort': order },
            button,
          );
        }),
      );
      const sorted = by < 0 ? table.rows : sortedRows(table, by, sort?.descending === true);
      rows.replaceChildren(
        ...sorted.map((cells) =>
          element(
            'tr',
            {},
            ...cells.map((cell, index) =>
              cellOf(cell, configs[index] ?? { custom: {} }, isNumber[index] === true, scene.theme),
            ),
          ),
        ),
      );
      if (focused !== null) {
        for (const button of head.querySelectorAll('button'))
          if (button.textContent?.startsWith(focused.replace(/[↓↑]$/, ''))) button.focus();
      }
    },
    destroy() {},
  };
}

/** @param {import('../scene.js').Scene} scene */
function contentOf({ panel, data }) {
  const refIds = (panel.targets ?? [])
    .filter((/** @type {any} */ { hide }) => !hide)
    .map((/** @type {any} */ { refId }) => refId);
  const tables = data.tables.map((frames, index) =>
    tableOf(frames, refIds[index] ?? '', refIds.length === 1, data.times.at(-1) ?? 0),
  );
  return transformed(tables, panel.transformations ?? []);
}

/**
 * @param {import('../transformations.js').Cell} cell
 * @param {import('../field-config.js').FieldConfig} config
 * @param {boolean} isNumber
 * @param {import('../colors.js').ThemeName} theme
 */
function cellOf(cell, { unit, decimals, thresholds, mappings, custom, min, max }, isNumber, theme) {
  const value = typeof cell === 'number' ? cell : null;
  const word = typeof cell === 'number' || cell === null ? mapped(mappings, value) : null;
  const text =
    word?.text ?? (typeof cell === 'string' ? cell : value === null ? '' : format(value, unit, decimals));
  // A label may be longer than its column.
  const made = element('td', { class: isNumber ? 'number' : '', ...(!isNumber && { title: text }) }, text);
  const type = custom.cellOptions?.type;
  if (custom.cellOptions?.wrapText) made.classList.add('wrapped');
  const name = word?.color ?? (value === null ? null : thresholdColor(thresholds, value, { min, max }));
  if (!name || (type !== 'color-text' && type !== 'color-background')) return made;
  const color = cssColor(name, theme);
  if (type === 'color-text') made.style.color = textColor(color, theme);
  else Object.assign(made.style, { background: color, color: readableOn(color) });
  return made;
}
