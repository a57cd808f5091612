/** The few pictures on buttons. */
import { svg } from './element.js';

/** @type {Record<string, string>} paths in a square of 16 */
const PATHS = {
  info: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Zm0 1.2a5.3 5.3 0 1 1 0 10.6A5.3 5.3 0 0 1 8 2.7Zm-.7 4.5h1.4v4.3H7.3V7.2Zm0-2.3h1.4v1.4H7.3V4.9Z',
  enlarge: 'M2 2h5v1.3H4.2l3.1 3.1-.9.9-3.1-3.1V7H2V2Zm12 12H9v-1.3h2.8L8.7 9.6l.9-.9 3.1 3.1V9H14v5Z',
  shrink: 'M7.3 7.3h-5V6h2.8L2 2.9l.9-.9L6 5.1V2.3h1.3v5Zm1.4 1.4h5V10h-2.8l3.1 3.1-.9.9-3.1-3.1v2.8H8.7v-5Z',
  refresh: 'M13 2v4.2H8.8V4.9h2a4 4 0 1 0 1.1 3.8h1.3A5.3 5.3 0 1 1 11.7 4V2H13Z',
  theme: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Zm0 1.3v10.4A5.2 5.2 0 0 1 8 2.8Z',
  back: 'M7.6 3 2.8 7.7 7.6 12.4l.9-.9-3.2-3.1H13V7.1H5.3l3.2-3.2-.9-.9Z',
  down: 'M8 10.6 3.4 6l.9-.9L8 8.8l3.7-3.7.9.9L8 10.6Z',
  clock:
    'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Zm0 1.2a5.3 5.3 0 1 1 0 10.6A5.3 5.3 0 0 1 8 2.7Zm-.6 1.9h1.2v3.1l2.3 2.3-.9.9-2.6-2.7V4.6Z',
};

/** @param {string} name @returns {SVGElement} */
export function icon(name) {
  return svg(
    'svg',
    { viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true' },
    svg('path', { d: PATHS[name] ?? '' }),
  );
}
