/**
 * Marks on the time axis, from queries.
 *
 * @typedef {object} Mark
 * @property {number} fromS
 * @property {number} toS the same, where it is a moment
 * @property {string} title
 * @property {string} text
 * @property {string} color Grafana's name
 * @property {0 | 1} [line] of labels, from above; 0, where it is not said
 */
import { fillLabels } from './legend.js';
import { timesOf } from './prometheus-answer.js';

/**
 * @param {any} annotation its JSON
 * @param {import('./prometheus-answer.js').Answer} answer
 * @returns {Mark[]} by time, each once
 */
export function marksOf(annotation, { grid, series }) {
  const { useValueForTime = false, titleFormat, textFormat, name, iconColor = 'blue' } = annotation;
  const times = timesOf(grid);
  /** @type {Map<string, Mark>} */
  const marks = new Map();
  for (const { labels, values } of series) {
    const title = fillLabels(titleFormat || name, labels);
    const text = fillLabels(textFormat ?? '', labels);
    for (const { fromS, toS } of useValueForTime ? moments(values) : stretches(times, values, grid.stepS)) {
      marks.set(`${fromS} ${title}`, { fromS, toS, title, text, color: iconColor });
    }
  }
  return [...marks.values()].sort((a, b) => a.fromS - b.fromS);
}

/** @param {(number | null)[]} values milliseconds since 1970 */
function moments(values) {
  return [...new Set(values.filter((value) => value !== null))].map((ms) => ({
    fromS: ms / 1000,
    toS: ms / 1000,
  }));
}

/**
 * From the first of consecutive samples other than zero to the last.
 *
 * @param {number[]} times
 * @param {(number | null)[]} values
 * @param {number} stepS
 */
function stretches(times, values, stepS) {
  /** @type {{fromS: number, toS: number}[]} */
  const found = [];
  for (const [index, timeS] of times.entries()) {
    if (!values[index]) continue;
    const last = found.at(-1);
    if (last && timeS - last.toS <= stepS * 1.5) last.toS = timeS;
    else found.push({ fromS: timeS, toS: timeS });
  }
  return found;
}
