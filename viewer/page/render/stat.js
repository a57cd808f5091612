/** Numbers that are read from across the room. */
import { readableOn, withOpacity } from '../colors.js';
import { element, setText } from '../element.js';
import { UPlot } from './chart.js';
import { valuesOf } from './values.js';

const LARGEST = 46;
const SMALLEST = 15;
/** Of a digit's width to its height. */
const GLYPH = 0.56;

/** @type {import('../scene.js').Mount} */
export function mountStat(body) {
  const root = element('div', { class: 'stats' });
  body.replaceChildren(root);
  /** @type {{tile: HTMLElement, name: HTMLElement, value: HTMLElement, spark: HTMLCanvasElement}[]} */
  let tiles = [];

  return {
    draw(scene) {
      const { panel, width, height } = scene;
      const shown = valuesOf(scene);
      const { graphMode = 'none', colorMode = 'value', textMode = 'auto' } = panel.options ?? {};
      if (tiles.length !== shown.length) {
        tiles = shown.map(() => {
          const spark = element('canvas', { class: 'spark', 'aria-hidden': 'true' });
          const name = element('div', { class: 'stat-name' });
          const value = element('div', { class: 'stat-value' });
          return { spark, name, value, tile: element('div', { class: 'stat' }, spark, name, value) };
        });
        root.replaceChildren(...tiles.map(({ tile }) => tile));
      }
      const withName =
        textMode === 'value_and_name' || textMode === 'name' || (textMode === 'auto' && shown.length > 1);
      const isColumn = height > width;
      root.classList.toggle('column', isColumn);
      const tileWidth = isColumn ? width : width / Math.max(1, shown.length);
      const tileHeight = isColumn ? height / Math.max(1, shown.length) : height;
      for (const [index, { name, text, color, values }] of shown.entries()) {
        const tile = tiles[index];
        if (!tile) continue;
        const onBackground = colorMode.startsWith('background');
        tile.tile.style.background = onBackground ? color : 'transparent';
        tile.tile.style.color = onBackground ? readableOn(color) : colorMode === 'none' ? '' : color;
        setText(tile.name, withName ? name : '');
        setText(tile.value, textMode === 'name' ? '' : text);
        const room = tileHeight - (withName ? 20 : 0) - 8;
        const size = Math.min(LARGEST, room * 0.62, (tileWidth - 20) / (Math.max(4, text.length) * GLYPH));
        tile.value.style.fontSize = `${Math.max(SMALLEST, Math.floor(size))}px`;
        const hasGraph = graphMode === 'area' && values.length > 1;
        tile.spark.hidden = !hasGraph;
        tile.tile.classList.toggle('with-spark', hasGraph);
        if (hasGraph)
          sparkline(tile.spark, values, tileWidth, tileHeight, onBackground ? readableOn(color) : color);
      }
    },
    destroy() {},
  };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {(number | null)[]} values
 * @param {number} width
 * @param {number} height
 * @param {string} color
 */
function sparkline(canvas, values, width, height, color) {
  const ratio = UPlot.pxRatio;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  const context = canvas.getContext('2d');
  if (!context) return;
  context.clearRect(0, 0, w, h);
  const known = values.filter((value) => value !== null);
  const low = Math.min(0, ...known);
  const high = Math.max(...known);
  // The upper half is the number's.
  const y = (/** @type {number} */ value) => h - ((value - low) / (high - low || 1)) * h * 0.34 - ratio;
  const x = (/** @type {number} */ index) => (index / (values.length - 1)) * w;
  context.lineWidth = 1.25 * ratio;
  context.strokeStyle = withOpacity(color, 0.65);
  context.fillStyle = withOpacity(color, 0.18);
  /** @type {number | null} */
  let start = null;
  for (let index = 0; index <= values.length; index++) {
    const value = values[index] ?? null;
    if (value !== null) start ??= index;
    else if (start !== null) {
      const line = new Path2D();
      for (let at = start; at < index; at++) line.lineTo(x(at), y(values[at] ?? 0));
      const area = new Path2D(line);
      area.lineTo(x(index - 1), h);
      area.lineTo(x(start), h);
      context.fill(area);
      context.stroke(line);
      start = null;
    }
  }
}
