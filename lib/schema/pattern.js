/**
 * Reads a regular expression into a tree, with which strings are made (pattern-sample.js) and tested
 * (pattern-match.js). The engine's own RegExp is never given a server's pattern: it may backtrack for ages, and
 * k6's and Node's don't agree on every one.
 *
 * What is read is JavaScript's syntax with code points for characters, as JSON Schema wants it, and what other
 * languages' servers write and mean the same: a leading `(?i)`, `(?P<name>...)`, `\A`, `\Z`, `\z`.
 */
import { Impossible, LIMITS, quote } from './limits.js';

/**
 * @typedef {[first: number, last: number]} Range of code points
 *
 * @typedef {{min: number, max: number}} Length of what a node matches, in characters
 *
 * @typedef {Length & (
 *   {type: 'set', ranges: Range[]}
 *   | {type: 'sequence', parts: Node[]}
 *   | {type: 'choice', options: Node[]}
 *   | {type: 'repeat', node: Node, from: number, to: number}
 *   | {type: 'group', index: number, node: Node}
 *   | {type: 'look', ahead: boolean, negative: boolean, node: Node}
 *   | {type: 'backreference', to: () => number}
 *   | {type: 'start'}
 *   | {type: 'end'}
 *   | {type: 'boundary', negative: boolean}
 * )} Node
 *
 * @typedef {object} Pattern
 * @property {string} source
 * @property {Node} root
 * @property {number} groups how many capture
 * @property {Set<string>} uses lookahead, lookbehind, backreference: what only trying can satisfy
 */

const LAST = 0x10ffff;
const NOTHING = { min: 0, max: 0 };

/** @type {Record<string, Range[]>} */
const CLASSES = {
  d: [[48, 57]],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [
    [9, 13],
    [32, 32],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ],
};

/** @type {Range[]} */
const LINE_ENDS = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];

/**
 * Unicode properties, as far as ASCII, Latin-1 and the alphabets most used go. k6 knows none by itself.
 *
 * @type {Record<string, Range[]>}
 */
const PROPERTIES = {
  Lu: [
    [65, 90],
    [0xc0, 0xd6],
    [0xd8, 0xde],
    [0x391, 0x3a1],
    [0x3a3, 0x3ab],
    [0x400, 0x42f],
  ],
  Ll: [
    [97, 122],
    [0xb5, 0xb5],
    [0xdf, 0xf6],
    [0xf8, 0xff],
    [0x3ac, 0x3ce],
    [0x430, 0x45f],
  ],
  L: [
    [65, 90],
    [97, 122],
    [0xaa, 0xaa],
    [0xb5, 0xb5],
    [0xba, 0xba],
    [0xc0, 0xd6],
    [0xd8, 0xf6],
    [0xf8, 0x2c1],
    [0x391, 0x3a1],
    [0x3a3, 0x3ce],
    [0x400, 0x481],
    [0x5d0, 0x5ea],
    [0x620, 0x64a],
    [0x904, 0x939],
    [0x3041, 0x3096],
    [0x30a1, 0x30fa],
    [0x4e00, 0x9fff],
    [0xac00, 0xd7a3],
  ],
  Nd: [[48, 57]],
  N: [
    [48, 57],
    [0xb2, 0xb3],
    [0xb9, 0xb9],
    [0xbc, 0xbe],
  ],
  P: [
    [33, 35],
    [37, 42],
    [44, 47],
    [58, 59],
    [63, 64],
    [91, 93],
    [95, 95],
    [123, 123],
    [125, 125],
    [0xa1, 0xa1],
    [0xa7, 0xa7],
    [0xab, 0xab],
    [0xb6, 0xb7],
    [0xbb, 0xbb],
    [0xbf, 0xbf],
  ],
  S: [
    [36, 36],
    [43, 43],
    [60, 62],
    [94, 94],
    [96, 96],
    [124, 124],
    [126, 126],
    [0xa2, 0xa6],
    [0xa8, 0xa9],
    [0xac, 0xac],
    [0xae, 0xb1],
    [0xb4, 0xb4],
    [0xb8, 0xb8],
    [0xd7, 0xd7],
    [0xf7, 0xf7],
  ],
  Zs: [
    [32, 32],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
  ],
};

/** @type {Record<string, string>} */
const PROPERTY_NAMES = {
  Letter: 'L',
  Alphabetic: 'L',
  Uppercase_Letter: 'Lu',
  Uppercase: 'Lu',
  Lowercase_Letter: 'Ll',
  Lowercase: 'Ll',
  Number: 'N',
  Decimal_Number: 'Nd',
  Punctuation: 'P',
  Symbol: 'S',
  Space_Separator: 'Zs',
};

/** @param {Range[]} ranges @returns {Range[]} in order, without overlaps */
function normal(ranges) {
  /** @type {Range[]} */
  const merged = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = merged.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

/** @param {Range[]} ranges @returns {Range[]} all other code points */
function complement(ranges) {
  /** @type {Range[]} */
  const rest = [];
  let from = 0;
  for (const [first, last] of normal(ranges)) {
    if (first > from) rest.push([from, first - 1]);
    from = last + 1;
  }
  if (from <= LAST) rest.push([from, LAST]);
  return rest;
}

/** @param {Range[]} ranges @returns {Range[]} with the other case of their ASCII letters */
function bothCases(ranges) {
  const both = [...ranges];
  for (const [first, last] of ranges) {
    for (let code = Math.max(first, 65); code <= Math.min(last, 122); code += 1) {
      if (code <= 90) both.push([code + 32, code + 32]);
      else if (code >= 97) both.push([code - 32, code - 32]);
    }
  }
  return both;
}

/** @param {Range[]} ranges @param {number} code */
export function contains(ranges, code) {
  return ranges.some(([first, last]) => first <= code && code <= last);
}

export const WORD = /** @type {Range[]} */ (CLASSES.w);

/**
 * @param {string} source
 * @returns {Pattern}
 * @throws {Impossible} where it isn't understood
 */
export function parsePattern(source) {
  if (source.length > LIMITS.patternLength) {
    throw new Impossible(`a pattern is longer than ${LIMITS.patternLength} characters`);
  }
  return new Parser(source).parse();
}

class Parser {
  /** @param {string} source */
  constructor(source) {
    this.source = source;
    this.characters = [...source];
    this.at = 0;
    this.depth = 0;
    this.groups = 0;
    /** @type {Map<string, number>} */
    this.names = new Map();
    /** @type {Set<string>} */
    this.uses = new Set();
    // \2 is a backreference only where there are two groups, which may come later.
    this.possibleGroups = source.replace(/\\./g, '').split('(').length - 1;
    this.ignoreCase = this.take('(?i)');
  }

  /** @returns {Pattern} */
  parse() {
    const root = this.choice();
    if (this.at < this.characters.length) this.fail('has a ")" too many');
    return { source: this.source, root, groups: this.groups, uses: this.uses };
  }

  /** @param {string} why @returns {never} */
  fail(why) {
    throw new Impossible(`the pattern ${quote(this.source)} ${why}`);
  }

  /** @param {string} text @returns {boolean} was it next? */
  take(text) {
    for (let n = 0; n < text.length; n += 1) {
      if (this.characters[this.at + n] !== text[n]) return false;
    }
    this.at += text.length;
    return true;
  }

  /** @returns {string} '' at the end */
  peek() {
    return this.characters[this.at] ?? '';
  }

  /** @returns {string} */
  next() {
    const character = this.characters[this.at];
    if (character === undefined) this.fail('ends too early');
    this.at += 1;
    return character;
  }

  /** @returns {Node} */
  choice() {
    this.depth += 1;
    if (this.depth > 100) this.fail('nests groups deeper than 100 levels');
    const options = [this.sequence()];
    while (this.take('|')) options.push(this.sequence());
    this.depth -= 1;
    if (options.length === 1) return /** @type {Node} */ (options[0]);
    return {
      type: 'choice',
      options,
      min: Math.min(...options.map(({ min }) => min)),
      max: Math.max(...options.map(({ max }) => max)),
    };
  }

  /** @returns {Node} */
  sequence() {
    /** @type {Node[]} */
    const parts = [];
    let min = 0;
    let max = 0;
    while (this.peek() !== '' && this.peek() !== '|' && this.peek() !== ')') {
      const part = this.quantified(this.atom());
      parts.push(part);
      min += part.min;
      max += part.max;
    }
    return parts.length === 1 ? /** @type {Node} */ (parts[0]) : { type: 'sequence', parts, min, max };
  }

  /** @param {Node} node @returns {Node} */
  quantified(node) {
    const bounds = this.quantifier();
    if (!bounds) return node;
    const [from, to] = bounds;
    if (from > to) this.fail('has a repetition whose bounds are out of order');
    this.take('?');
    if (this.peek() === '+') this.fail('uses a possessive quantifier');
    const max = node.max === 0 ? 0 : node.max * to;
    return { type: 'repeat', node, from, to, min: node.min * from, max: to === 0 ? 0 : max };
  }

  /** @returns {[number, number] | null} */
  quantifier() {
    if (this.take('*')) return [0, Infinity];
    if (this.take('+')) return [1, Infinity];
    if (this.take('?')) return [0, 1];
    if (this.peek() !== '{') return null;
    const rest = this.characters.slice(this.at, this.at + 30).join('');
    const bounds = /^\{(\d*)(,?)(\d*)\}/.exec(rest);
    // A brace that opens no repetition is itself.
    if (!bounds || (bounds[1] === '' && bounds[3] === '')) return null;
    this.at += bounds[0].length;
    const from = Number(bounds[1]);
    if (bounds[2] === '') return [from, from];
    return [from, bounds[3] === '' ? Infinity : Number(bounds[3])];
  }

  /** @returns {Node} */
  atom() {
    const character = this.next();
    switch (character) {
      case '^':
        return { type: 'start', ...NOTHING };
      case '$':
        return { type: 'end', ...NOTHING };
      case '.':
        return this.set(complement(LINE_ENDS));
      case '[':
        return this.class();
      case '(':
        return this.group();
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
        return this.fail('has a quantifier with nothing before it');
      default:
        return this.literal(/** @type {number} */ (character.codePointAt(0)));
    }
  }

  /** @param {number} code @returns {Node} */
  literal(code) {
    return this.set(this.folded([[code, code]]));
  }

  /** @param {Range[]} ranges @returns {Node} */
  set(ranges) {
    return { type: 'set', ranges: normal(ranges), min: 1, max: 1 };
  }

  /** @param {Range[]} ranges */
  folded(ranges) {
    return this.ignoreCase ? bothCases(ranges) : ranges;
  }

  /** @returns {Node} */
  group() {
    if (this.take('?:')) return this.closed(this.choice());
    if (this.take('?=')) return this.look(true, false);
    if (this.take('?!')) return this.look(true, true);
    if (this.take('?<=')) return this.look(false, false);
    if (this.take('?<!')) return this.look(false, true);
    this.groups += 1;
    const index = this.groups;
    if (this.take('?<') || this.take('?P<')) this.names.set(this.name(), index);
    else if (this.peek() === '?')
      this.fail(`uses (?${this.characters[this.at + 1] ?? ''}, which is not supported`);
    const node = this.closed(this.choice());
    return { type: 'group', index, node, min: node.min, max: node.max };
  }

  /** @param {Node} node @returns {Node} */
  closed(node) {
    if (!this.take(')')) this.fail('has a group that is not closed');
    return node;
  }

  /** @param {boolean} ahead @param {boolean} negative @returns {Node} */
  look(ahead, negative) {
    this.uses.add(ahead ? 'lookahead' : 'lookbehind');
    return { type: 'look', ahead, negative, node: this.closed(this.choice()), ...NOTHING };
  }

  /** @returns {string} up to the closing angle */
  name() {
    let name = '';
    for (let next = this.next(); next !== '>'; next = this.next()) name += next;
    return name;
  }

  /** @returns {Node} after a backslash, outside a class */
  escape() {
    const character = this.peek();
    if (this.take('b')) return { type: 'boundary', negative: false, ...NOTHING };
    if (this.take('B')) return { type: 'boundary', negative: true, ...NOTHING };
    if (this.take('A')) return { type: 'start', ...NOTHING };
    if (this.take('Z') || this.take('z')) return { type: 'end', ...NOTHING };
    if (this.take('k<')) {
      const name = this.name();
      return this.backreference(() => this.names.get(name) ?? 0);
    }
    if (/[1-9]/.test(character)) {
      let digits = '';
      while (/\d/.test(this.peek()) && digits.length < 3) digits += this.next();
      const index = Number(digits);
      if (index > this.possibleGroups) this.fail(`refers to the group ${index}, which it does not have`);
      return this.backreference(() => index);
    }
    return this.set(this.escapedSet());
  }

  /** @param {() => number} to @returns {Node} */
  backreference(to) {
    this.uses.add('backreference');
    return { type: 'backreference', to, min: 0, max: Infinity };
  }

  /** @returns {Range[]} what the escape after a backslash stands for, in a class or outside */
  escapedSet() {
    const character = this.next();
    const lower = character.toLowerCase();
    const known = CLASSES[lower];
    if (known) return character === lower ? known : complement(known);
    if (lower === 'p') {
      const ranges = this.property();
      return character === 'p' ? ranges : complement(ranges);
    }
    const code = this.escapedCode(character);
    return this.folded([[code, code]]);
  }

  /** @returns {Range[]} */
  property() {
    let name = '';
    if (this.take('{')) for (let next = this.next(); next !== '}'; next = this.next()) name += next;
    else name = this.next();
    const short = name.replace(/^(General_Category|gc)=/, '');
    const ranges = PROPERTIES[PROPERTY_NAMES[short] ?? short];
    return ranges
      ? this.folded(ranges)
      : this.fail(`uses the Unicode property ${quote(name)}, which is not known here`);
  }

  /** @param {string} character that follows the backslash @returns {number} */
  escapedCode(character) {
    const controls = { t: 9, n: 10, v: 11, f: 12, r: 13 };
    if (Object.hasOwn(controls, character)) return controls[/** @type {keyof typeof controls} */ (character)];
    if (character === '0') return 0;
    if (character === 'c' && /[a-zA-Z]/.test(this.peek())) return this.next().charCodeAt(0) % 32;
    if (character === 'x') return this.hex(2);
    if (character === 'u') return this.unicode();
    if (/[a-zA-Z0-9]/.test(character)) this.fail(`uses \\${character}, which JavaScript does not have`);
    return /** @type {number} */ (character.codePointAt(0));
  }

  /** @returns {number} */
  unicode() {
    if (this.take('{')) {
      let digits = '';
      for (let next = this.next(); next !== '}'; next = this.next()) digits += next;
      const code = /^[0-9a-fA-F]{1,6}$/.test(digits) ? Number.parseInt(digits, 16) : LAST + 1;
      return code <= LAST ? code : this.fail('has a malformed \\u escape');
    }
    const code = this.hex(4);
    const pair = this.at;
    if (code >= 0xd800 && code <= 0xdbff && this.take('\\u') && this.peek() !== '{') {
      const low = this.hex(4);
      if (low >= 0xdc00 && low <= 0xdfff) return 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00);
    }
    this.at = code >= 0xd800 && code <= 0xdbff ? pair : this.at;
    return code;
  }

  /** @param {number} length @returns {number} */
  hex(length) {
    let digits = '';
    for (let n = 0; n < length; n += 1) digits += this.next();
    return /^[0-9a-fA-F]+$/.test(digits) ? Number.parseInt(digits, 16) : this.fail('has a malformed escape');
  }

  /** @returns {Node} after the opening bracket */
  class() {
    const negative = this.take('^');
    /** @type {Range[]} */
    const ranges = [];
    while (!this.take(']')) {
      const first = this.classMember();
      const start = first[0];
      const single = first.length === 1 && start !== undefined && start[0] === start[1];
      const after = this.characters[this.at + 1];
      if (this.peek() === '-' && after !== ']' && after !== undefined && single) {
        this.at += 1;
        const last = this.classMember();
        const end = last[0];
        if (last.length === 1 && end !== undefined && end[0] === end[1]) {
          if (end[0] < start[0]) this.fail('has a class whose range is out of order');
          ranges.push([start[0], end[0]]);
        } else {
          ranges.push(start, [45, 45], ...last);
        }
      } else {
        ranges.push(...first);
      }
    }
    const folded = this.folded(ranges);
    return this.set(negative ? complement(folded) : folded);
  }

  /** @returns {Range[]} */
  classMember() {
    if (this.take('\\')) {
      if (this.take('b')) return [[8, 8]];
      if (this.take('-')) return [[45, 45]];
      const ignoreCase = this.ignoreCase;
      // The class is folded as a whole, when its ranges are known.
      this.ignoreCase = false;
      const ranges = this.escapedSet();
      this.ignoreCase = ignoreCase;
      return ranges;
    }
    const code = /** @type {number} */ (this.next().codePointAt(0));
    return [[code, code]];
  }
}
