/** The one box that follows the pointer over charts. */
import { element } from './element.js';

/** Rows beyond these would cover the chart. */
const MAX_ROWS = 16;
const DISTANCE = 16;

/**
 * @typedef {{color: string, name: string, value: string}} TooltipRow
 * @typedef {{title: string, text: string, color: string}} TooltipMark
 */

const box = element('div', { class: 'tooltip', role: 'presentation', hidden: true });

/**
 * @param {{x: number, y: number}} pointer in the window
 * @param {{heading: string, rows: TooltipRow[], marks?: TooltipMark[]}} content
 */
export function showTooltip({ x, y }, { heading, rows, marks = [] }) {
  if (!box.isConnected) document.body.append(box);
  const shown = rows.slice(0, MAX_ROWS);
  box.replaceChildren(
    element('div', { class: 'tooltip-heading' }, heading),
    ...marks.map(({ title, text, color }) =>
      element(
        'div',
        { class: 'tooltip-mark', style: { borderLeftColor: color } },
        element('b', {}, title),
        text ? ` ${text}` : '',
      ),
    ),
    ...shown.map(({ color, name, value }) =>
      element(
        'div',
        { class: 'tooltip-row' },
        element('i', { style: { background: color } }),
        element('span', {}, name),
        element('b', {}, value),
      ),
    ),
    rows.length > shown.length
      ? element('div', { class: 'tooltip-more' }, `and ${rows.length - shown.length} more`)
      : '',
  );
  box.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = x + DISTANCE + width > window.innerWidth ? x - DISTANCE - width : x + DISTANCE;
  const top = Math.min(y + DISTANCE, window.innerHeight - height - 4);
  box.style.transform = `translate(${Math.max(4, Math.round(left))}px, ${Math.max(4, Math.round(top))}px)`;
}

export function hideTooltip() {
  box.hidden = true;
}
