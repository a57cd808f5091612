/** Makes a string that a pattern describes. Lookarounds and boundaries are left to whoever tests the result. */
import { contains } from './pattern.js';

/**
 * @typedef {import('./pattern.js').Node} Node
 * @typedef {import('./pattern.js').Range} Range
 *
 * @typedef {object} Sampling
 * @property {import('./random.js').Random} random
 * @property {import('./limits.js').Budget} budget
 * @property {boolean} mixed all kinds of characters, where otherwise it would be small letters
 * @property {Map<number, string>} captured
 */

/** The kinds of characters that read well, the best first. @type {Range[]} */
const KINDS = [
  [97, 122],
  [48, 57],
  [65, 90],
  [45, 45],
  [95, 95],
  [32, 32],
  [33, 126],
];
const VOWELS = [97, 101, 105, 111, 117];

/**
 * @param {import('./pattern.js').Pattern} pattern
 * @param {{min: number, max: number}} length wanted, in characters; missed where the pattern has no such string
 * @param {Omit<Sampling, 'captured'>} options
 * @returns {string}
 */
export function sample({ root }, length, options) {
  /** @type {Sampling} */
  const sampling = { ...options, captured: new Map() };
  const max = Math.min(root.max, Math.max(length.max, root.min));
  const text = emit(root, Math.min(length.min, max), max, sampling);
  const missing = length.min - text.length;
  // A pattern without anchors may stand anywhere in a longer string.
  return missing > 0 ? text + letters(missing, sampling) : text;
}

/**
 * @param {number} count
 * @param {Sampling} sampling
 */
function letters(count, sampling) {
  let text = '';
  for (let n = 0; n < count; n += 1) text += character([/** @type {Range} */ (KINDS[0])], n, sampling);
  return text;
}

/**
 * @param {Node} node
 * @param {number} low least length
 * @param {number} high
 * @param {Sampling} sampling
 * @returns {string}
 */
function emit(node, low, high, sampling) {
  sampling.budget.spend(4);
  switch (node.type) {
    case 'set':
      return character(node.ranges, 0, sampling);
    case 'sequence':
      return emitParts(node.parts, low, high, sampling);
    case 'choice': {
      const fitting = node.options.filter(({ min, max }) => min <= high && max >= low);
      const filled = fitting.filter(({ max }) => max > 0);
      const options = [filled, fitting, node.options].find(({ length }) => length > 0) ?? [];
      const option = sampling.random.pick(options);
      return emit(option, Math.max(low, option.min), Math.min(high, option.max), sampling);
    }
    case 'repeat':
      if (node.max === 0) return '';
      return emitRepeat(node, low, high, sampling);
    case 'group': {
      const text = emit(node.node, low, high, sampling);
      sampling.captured.set(node.index, text);
      return text;
    }
    case 'backreference':
      return sampling.captured.get(node.to()) ?? '';
    default:
      return '';
  }
}

/**
 * @param {Node[]} parts
 * @param {number} low
 * @param {number} high
 * @param {Sampling} sampling
 */
function emitParts(parts, low, high, sampling) {
  let needed = low;
  let room = high;
  let elasticity = stretchOf(parts);
  for (const { min } of parts) {
    needed -= min;
    room -= min;
  }
  let text = '';
  for (const [index, part] of parts.entries()) {
    const stretch = part.max - part.min;
    // From infinity nothing can be taken away: whether the rest can stretch is added up anew.
    elasticity = Number.isFinite(elasticity) ? elasticity - stretch : stretchOf(parts.slice(index + 1));
    const must = Math.min(stretch, Math.max(0, needed - elasticity));
    const may = Math.max(must, Math.min(stretch, room));
    const made = emit(part, part.min + must, part.min + may, sampling);
    text += made;
    needed -= made.length - part.min;
    room -= made.length - part.min;
  }
  return text;
}

/** @param {Node[]} parts */
const stretchOf = (parts) => parts.reduce((sum, { min, max }) => sum + max - min, 0);

/**
 * @param {Extract<Node, {type: 'repeat'}>} repeat
 * @param {number} low
 * @param {number} high
 * @param {Sampling} sampling
 */
function emitRepeat({ node, from, to }, low, high, sampling) {
  const { random } = sampling;
  const ordinary = node.max <= 1 && to > 1 ? random.integer(3, 8) : random.integer(0, 2);
  const least = Math.max(from, Math.ceil(low / node.max));
  const most = node.min === 0 ? to : Math.min(to, Math.floor(high / node.min));
  const count = Math.min(Math.max(ordinary, least), Math.max(most, from));
  let text = '';
  for (let n = 0; n < count; n += 1) {
    const left = count - n - 1;
    const must = Math.min(node.max, Math.max(node.min, low - text.length - times(left, node.max)));
    const may = Math.max(must, Math.min(node.max, high - text.length - left * node.min));
    text += node.type === 'set' ? character(node.ranges, n, sampling) : emit(node, must, may, sampling);
  }
  return text;
}

/** @param {number} count @param {number} length which may be infinite */
const times = (count, length) => (count === 0 ? 0 : count * length);

/**
 * @param {Range[]} ranges
 * @param {number} position in its run: every other letter is a vowel, so that it can be read
 * @param {Sampling} sampling
 * @returns {string}
 */
function character(ranges, position, { random, budget, mixed }) {
  budget.spend();
  const kinds = KINDS.map((kind) => overlap(ranges, kind)).filter(({ length }) => length > 0);
  // What is neither ASCII nor a control character is taken as it comes.
  const kind = mixed && kinds.length > 0 ? random.pick(kinds) : (kinds[0] ?? ranges);
  if (kind === kinds[0] && !mixed && position % 2 === 1) {
    const vowels = VOWELS.filter((code) => contains(kind, code));
    if (vowels.length > 0) return String.fromCodePoint(random.pick(vowels));
  }
  if (kind.length === 0) return '';
  const [first, last] = random.pick(kind);
  return String.fromCodePoint(random.integer(first, Math.min(last, first + 255)));
}

/** @param {Range[]} ranges @param {Range} kind @returns {Range[]} */
function overlap(ranges, [first, last]) {
  /** @type {Range[]} */
  const found = [];
  for (const range of ranges) {
    const from = Math.max(range[0], first);
    const to = Math.min(range[1], last);
    if (from <= to) found.push([from, to]);
  }
  return found;
}
