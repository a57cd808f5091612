/** Draws the measurements of all runs of both sides on one axis: base above, head below, medians as lines. */
import { html } from './html.ts';
import type { Dots } from './model.ts';

/** In units of the drawing. */
const [WIDTH, HEIGHT, MARGIN] = [220, 40, 8];

/** @param label text for screen readers */
export function dotStrip({ base, head, baseMedian, headMedian }: Dots, label: string) {
  const known = [...base, ...head].filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const x = (value: number) =>
    (high === low ? WIDTH / 2 : MARGIN + ((value - low) / (high - low)) * (WIDTH - 2 * MARGIN)).toFixed(1);
  const side = (name: string, y: number, values: (number | null)[], median: number | null) =>
    html`<g class="${name}">${values.map((value) => value !== null && html`<circle cx="${x(value)}" cy="${y}" r="3.5"/>`)}${
      median !== null && html`<line x1="${x(median)}" x2="${x(median)}" y1="${y - 7}" y2="${y + 7}"/>`
    }</g>`;
  return html`<svg class="dots" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${label}">${side(
    'base',
    12,
    base,
    baseMedian,
  )}${side('head', 28, head, headMedian)}</svg>`;
}
