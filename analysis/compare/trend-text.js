import { cut, grid, WIDTH, wrap } from '../render/layout.js';
import { counted } from '../units.js';
import { LEAST_RUNS } from './trend.js';
import { changeOf, nameOf, shareOf, valueIn } from './words.js';

const BARS = [...'▁▂▃▄▅▆▇█'];
/** Runs that a line of bars shows, the newest. */
const MOST_BARS = 40;
const MAX_CELL = 44;

/**
 * @param {number[]} values
 * @returns {string} a bar each, from the lowest to the highest of them
 */
export function sparkline(values) {
  const shown = values.slice(-MOST_BARS);
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const bar = (/** @type {number} */ value) =>
    BARS[high === low ? 0 : Math.round(((value - low) / (high - low)) * (BARS.length - 1))];
  return shown.map(bar).join('');
}

/**
 * @param {import('./trend.js').Trend[]} trends
 * @returns {string}
 */
export function renderTrends(trends) {
  return `${trends.map((trend) => block(trend).join('\n')).join('\n\n')}\n`;
}

/** @param {import('./trend.js').Trend} trend @returns {string[]} */
function block({ conditions, runs, series }) {
  const { test, profile, phases } = conditions;
  const loads = phases.map(({ name, offered_rps, vus }) =>
    offered_rps === null ? `${name} ${counted(vus ?? 0, 'user')}` : `${name} ${offered_rps}/s`,
  );
  const title = cut(
    `${test}, profile ${profile}, ${counted(runs.length, 'run')}: ${loads.join(', ')}`,
    WIDTH,
  );
  if (runs.length < LEAST_RUNS) {
    return [title, `not enough runs: ${LEAST_RUNS} are needed to tell a change from chance`];
  }
  const changed = series.filter(({ changes }) => changes.length > 0);
  const rows = series.map((one) => [
    nameOf(one),
    valueIn(one.unit, one.values.at(-1) ?? null),
    sparkline(one.values),
    one.changes.length > 0 ? counted(one.changes.length, 'change') : 'no change',
  ]);
  const sentences = changed.flatMap((one) =>
    one.changes.map(
      (change) =>
        `${nameOf(one)} is ${change.direction} from ${change.testid} on (the last before it is ${change.last}): ${valueIn(one.unit, change.before)} to ${valueIn(one.unit, change.after)}, ${changeOf(one, change.change)}, p ${shareOf(change.p)}`,
    ),
  );
  return [
    title,
    ...grid([['metric', 'newest', 'runs', ''], ...rows], MAX_CELL).map((line) => cut(line, WIDTH)),
    ...sentences.flatMap((sentence) => wrap(sentence, '- ')),
  ];
}
