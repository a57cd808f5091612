import { html } from '../report/html.js';

/** Of the drawing, in its own units. */
const [WIDTH, HEIGHT, MARGIN] = [220, 40, 8];
const ROWS = { base: 12, head: 28 };

/**
 * What each run of both sides measured, one above the other on one axis: base above, head below, medians as lines.
 *
 * @param {object} strip
 * @param {(number | null)[]} strip.base
 * @param {(number | null)[]} strip.head
 * @param {number | null} strip.baseMedian
 * @param {number | null} strip.headMedian
 * @param {string} strip.label for who does not see it
 * @returns {import('../report/html.js').Html}
 */
export function dotStrip({ base, head, baseMedian, headMedian, label }) {
  const known = [...base, ...head].filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const x = (/** @type {number} */ value) =>
    high === low ? WIDTH / 2 : MARGIN + ((value - low) / (high - low)) * (WIDTH - 2 * MARGIN);
  const side = (
    /** @type {'base' | 'head'} */ name,
    /** @type {(number | null)[]} */ values,
    /** @type {number | null} */ median,
  ) => {
    const colour = name === 'base' ? 'var(--quiet)' : 'var(--accent)';
    const y = ROWS[name];
    return html`<g fill="${colour}" fill-opacity="0.6" stroke="${colour}">${values
      .filter((value) => value !== null)
      .map((value) => html`<circle cx="${x(value).toFixed(1)}" cy="${y}" r="3.5" stroke="none"/>`)}${
      median !== null &&
      html`<line x1="${x(median).toFixed(1)}" x2="${x(median).toFixed(1)}" y1="${y - 7}" y2="${y + 7}" stroke-width="2"/>`
    }</g>`;
  };
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${label}">${side(
    'base',
    base,
    baseMedian,
  )}${side('head', head, headMedian)}</svg>`;
}
