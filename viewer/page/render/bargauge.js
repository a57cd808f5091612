/** A bar for each series. */
import { textColor } from '../colors.js';
import { element, setText } from '../element.js';
import { valuesOf } from './values.js';

/** @type {import('../scene.js').Mount} */
export function mountBarGauge(body) {
  const root = element('div', { class: 'bars' });
  body.replaceChildren(root);
  /** @type {{name: HTMLElement, fill: HTMLElement, value: HTMLElement}[]} */
  let bars = [];
  return {
    draw(scene) {
      const shown = valuesOf(scene);
      if (bars.length !== shown.length) {
        bars = shown.map(() => ({
          name: element('span', { class: 'bar-name' }),
          fill: element('i'),
          value: element('b'),
        }));
        root.replaceChildren(
          ...bars.flatMap(({ name, fill, value }) => [
            name,
            element('span', { class: 'bar-track' }, fill),
            value,
          ]),
        );
      }
      const highest = Math.max(...shown.map(({ value }) => value ?? 0));
      for (const [index, { name, value, text, color, config }] of shown.entries()) {
        const bar = bars[index];
        if (!bar) continue;
        const { min = 0, max = highest } = config;
        const share = Math.max(0, Math.min(1, ((value ?? 0) - min) / (max - min || 1)));
        setText(bar.name, name);
        bar.name.title = name;
        setText(bar.value, text);
        bar.value.style.color = textColor(color, scene.theme);
        bar.fill.style.background = color;
        bar.fill.style.width = `${(share * 100).toFixed(2)}%`;
      }
    },
    destroy() {},
  };
}
