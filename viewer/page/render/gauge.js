/** A number between two ends, as an arc. */
import { cssColor } from '../colors.js';
import { element, svg } from '../element.js';
import { limits, thresholdColor } from '../thresholds.js';
import { valuesOf } from './values.js';

/** The arc's ends, in degrees from the top. */
const TURN = 120;
const RADIUS = 42;
const BAND = 11;
const MARKERS = 3;

/** @param {number} share 0 to 1 @param {number} radius */
function place(share, radius) {
  const angle = ((-TURN + 2 * TURN * share) * Math.PI) / 180;
  return `${(50 + radius * Math.sin(angle)).toFixed(2)} ${(50 - radius * Math.cos(angle)).toFixed(2)}`;
}

/** @param {number} from 0 to 1 @param {number} to @param {number} radius @returns {string} an SVG path */
function arc(from, to, radius) {
  const isLarge = (to - from) * 2 * TURN > 180 ? 1 : 0;
  return `M ${place(from, radius)} A ${radius} ${radius} 0 ${isLarge} 1 ${place(to, radius)}`;
}

/** @type {import('../scene.js').Mount} */
export function mountGauge(body) {
  const root = element('div', { class: 'gauges' });
  body.replaceChildren(root);
  return {
    draw(scene) {
      const { panel, theme } = scene;
      const shown = valuesOf(scene);
      root.replaceChildren(
        ...shown.map(({ name, value, text, color, config }) => {
          const { min = 0, max = 100, thresholds } = config;
          /** @param {number} at */
          const share = (at) => Math.max(0, Math.min(1, (at - min) / (max - min || 1)));
          const marks = [
            { from: min, color: thresholdColor(thresholds, min, { min, max }) ?? 'green' },
            ...limits(thresholds, { min, max }).filter(({ from }) => from > min && from < max),
          ];
          const outer = RADIUS + BAND / 2 + MARKERS;
          const parts = [
            svg('path', { d: arc(0, 1, RADIUS), class: 'gauge-track', 'stroke-width': BAND }),
            ...(value !== null && share(value) > 0
              ? [
                  svg('path', {
                    d: arc(0, share(value), RADIUS),
                    stroke: color,
                    'stroke-width': BAND,
                    fill: 'none',
                  }),
                ]
              : []),
            ...(panel.options?.showThresholdMarkers === false
              ? []
              : marks.map((mark, index) =>
                  svg('path', {
                    d: arc(share(mark.from), share(marks[index + 1]?.from ?? max), outer),
                    stroke: cssColor(mark.color, theme),
                    'stroke-width': MARKERS,
                    fill: 'none',
                  }),
                )),
          ];
          const label = svg('text', {
            x: 50,
            y: 58,
            'text-anchor': 'middle',
            class: 'gauge-value',
            'font-size': Math.min(20, 100 / Math.max(5, text.length)),
            fill: color,
          });
          label.textContent = text;
          return element(
            'figure',
            { class: 'gauge' },
            svg(
              'svg',
              { viewBox: '-2 -2 104 82', role: 'img', 'aria-label': `${name}: ${text}` },
              ...parts,
              label,
            ),
            shown.length > 1 ? element('figcaption', {}, name) : '',
          );
        }),
      );
    },
    destroy() {},
  };
}
