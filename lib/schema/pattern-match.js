/**
 * Tests a string against a pattern: a program for a small backtracking machine that never visits the same
 * instruction at the same place twice, so that no pattern takes it more than (size x length) steps. Only
 * backreferences need more, which the budget ends.
 */
import { Impossible, LIMITS, quote } from './limits.js';
import { contains, WORD } from './pattern.js';

/**
 * @typedef {import('./pattern.js').Node} Node
 * @typedef {import('./pattern.js').Pattern} Pattern
 *
 * @typedef {{op: 'set', ranges: import('./pattern.js').Range[]}
 *   | {op: 'split', a: number, b: number}
 *   | {op: 'jump', to: number}
 *   | {op: 'save', slot: number}
 *   | {op: 'look', ahead: boolean, negative: boolean, start: number}
 *   | {op: 'backreference', group: number}
 *   | {op: 'start' | 'end' | 'accept' | 'fail'}
 *   | {op: 'boundary', negative: boolean}} Instruction
 */

/** @type {WeakMap<Pattern, Map<number, Instruction[]>>} */
const programs = new WeakMap();

/**
 * @param {Pattern} pattern
 * @param {string} text
 * @param {import('./limits.js').Budget} budget
 * @returns {boolean} does the pattern match anywhere in the text?
 */
export function matches(pattern, text, budget) {
  const codes = Array.from(text, (character) => /** @type {number} */ (character.codePointAt(0)));
  if (codes.length > LIMITS.stringLength) {
    throw new Impossible(`a string of more than ${LIMITS.stringLength} characters would have to be matched`);
  }
  return new Machine(program(pattern, codes.length), codes, pattern, budget).search();
}

/**
 * Repetitions are written out, and no more of them than the text is long.
 *
 * @param {Pattern} pattern
 * @param {number} length
 */
function program(pattern, length) {
  let size = 32;
  while (size < length) size *= 2;
  let known = programs.get(pattern);
  if (!known) {
    known = new Map();
    programs.set(pattern, known);
  }
  const before = known.get(size);
  if (before) return before;
  /** @type {Instruction[]} */
  const code = [];
  compile(pattern.root, code, size, pattern);
  code.push({ op: 'accept' });
  known.set(size, code);
  return code;
}

/**
 * @param {Node} node
 * @param {Instruction[]} code grows
 * @param {number} size longest text
 * @param {Pattern} pattern
 */
function compile(node, code, size, pattern) {
  if (code.length > LIMITS.patternProgram) {
    throw new Impossible(
      `the pattern ${quote(pattern.source)} is too large: more than ${LIMITS.patternProgram} steps`,
    );
  }
  switch (node.type) {
    case 'set':
      code.push({ op: 'set', ranges: node.ranges });
      return;
    case 'sequence':
      for (const part of node.parts) compile(part, code, size, pattern);
      return;
    case 'choice':
      compileChoice(node.options, code, size, pattern);
      return;
    case 'repeat':
      compileRepeat(node, code, size, pattern);
      return;
    case 'group':
      code.push({ op: 'save', slot: node.index * 2 });
      compile(node.node, code, size, pattern);
      code.push({ op: 'save', slot: node.index * 2 + 1 });
      return;
    case 'look': {
      const { ahead, negative } = node;
      code.push({ op: 'look', ahead, negative, start: code.length + 2 });
      const over = /** @type {{op: 'jump', to: number}} */ ({ op: 'jump', to: 0 });
      code.push(over);
      compile(node.node, code, size, pattern);
      code.push({ op: 'accept' });
      over.to = code.length;
      return;
    }
    case 'backreference':
      code.push({ op: 'backreference', group: node.to() });
      return;
    case 'boundary':
      code.push({ op: 'boundary', negative: node.negative });
      return;
    default:
      code.push({ op: node.type });
  }
}

/**
 * @param {Node[]} options
 * @param {Instruction[]} code
 * @param {number} size
 * @param {Pattern} pattern
 */
function compileChoice(options, code, size, pattern) {
  /** @type {{op: 'jump', to: number}[]} */
  const exits = [];
  for (const [index, option] of options.entries()) {
    if (index === options.length - 1) {
      compile(option, code, size, pattern);
      break;
    }
    const split = /** @type {{op: 'split', a: number, b: number}} */ ({
      op: 'split',
      a: code.length + 1,
      b: 0,
    });
    code.push(split);
    compile(option, code, size, pattern);
    const exit = /** @type {{op: 'jump', to: number}} */ ({ op: 'jump', to: 0 });
    code.push(exit);
    exits.push(exit);
    split.b = code.length;
  }
  for (const exit of exits) exit.to = code.length;
}

/**
 * @param {Extract<Node, {type: 'repeat'}>} repeat
 * @param {Instruction[]} code
 * @param {number} size
 * @param {Pattern} pattern
 */
function compileRepeat({ node, from, to }, code, size, pattern) {
  if (node.min > 0 && from > size) {
    code.push({ op: 'fail' });
    return;
  }
  // What may be empty can be repeated as often as it must without using up anything.
  const must = node.min === 0 && from > size ? size : from;
  for (let n = 0; n < must; n += 1) compile(node, code, size, pattern);
  if (to - must > size || to > size) {
    const split = /** @type {{op: 'split', a: number, b: number}} */ ({
      op: 'split',
      a: code.length + 1,
      b: 0,
    });
    const back = code.length;
    code.push(split);
    compile(node, code, size, pattern);
    code.push({ op: 'jump', to: back });
    split.b = code.length;
    return;
  }
  /** @type {{op: 'split', a: number, b: number}[]} */
  const exits = [];
  for (let n = must; n < to; n += 1) {
    const split = /** @type {{op: 'split', a: number, b: number}} */ ({
      op: 'split',
      a: code.length + 1,
      b: 0,
    });
    code.push(split);
    exits.push(split);
    compile(node, code, size, pattern);
  }
  for (const exit of exits) exit.b = code.length;
}

class Machine {
  /**
   * @param {Instruction[]} code
   * @param {number[]} text code points
   * @param {Pattern} pattern
   * @param {import('./limits.js').Budget} budget
   */
  constructor(code, text, pattern, budget) {
    this.code = code;
    this.text = text;
    this.budget = budget;
    // What was captured is part of the machine's state only where something refers to it.
    this.captures = pattern.uses.has('backreference');
    /** @type {number[]} */
    this.none = this.captures ? new Array(pattern.groups * 2 + 2).fill(-1) : [];
  }

  /** @returns {boolean} */
  search() {
    /** @type {Set<number | string>} */
    const visited = new Set();
    for (let at = 0; at <= this.text.length; at += 1) {
      if (this.run(0, at, this.none, visited, -1)) return true;
    }
    return false;
  }

  /**
   * @param {number} start instruction
   * @param {number} from place in the text
   * @param {number[]} captured
   * @param {Set<number | string>} visited
   * @param {number} mustEnd where it must end; -1: anywhere
   * @returns {number[] | null} what was captured, null: no match
   */
  run(start, from, captured, visited, mustEnd) {
    const { code, text, budget } = this;
    const width = text.length + 1;
    /** @type {{pc: number, at: number, captured: number[]}[]} */
    const stack = [{ pc: start, at: from, captured }];
    for (let state = stack.pop(); state; state = stack.pop()) {
      let { pc, at, captured } = state;
      for (;;) {
        const place = pc * width + at;
        const key = this.captures ? `${place}:${captured.join()}` : place;
        if (visited.has(key)) break;
        visited.add(key);
        budget.spend(this.captures ? 40 : 1);
        const step = /** @type {Instruction} */ (code[pc]);
        if (step.op === 'accept') {
          if (mustEnd < 0 || at === mustEnd) return captured;
          break;
        }
        if (step.op === 'set') {
          if (at === text.length || !contains(step.ranges, /** @type {number} */ (text[at]))) break;
          at += 1;
          pc += 1;
        } else if (step.op === 'split') {
          stack.push({ pc: step.b, at, captured });
          pc = step.a;
        } else if (step.op === 'jump') {
          pc = step.to;
        } else if (step.op === 'save') {
          if (this.captures) {
            captured = [...captured];
            captured[step.slot] = at;
          }
          pc += 1;
        } else if (step.op === 'look') {
          const found = this.look(step, at, captured);
          if (step.negative ? found : !found) break;
          if (found) captured = found;
          pc += 1;
        } else if (step.op === 'backreference') {
          const length = this.repeated(step.group, at, captured);
          if (length < 0) break;
          at += length;
          pc += 1;
        } else {
          if (!this.holds(step, at)) break;
          pc += 1;
        }
      }
    }
    return null;
  }

  /**
   * @param {Extract<Instruction, {op: 'look'}>} step
   * @param {number} at
   * @param {number[]} captured
   * @returns {number[] | null}
   */
  look({ ahead, start }, at, captured) {
    if (ahead) return this.run(start, at, captured, new Set(), -1);
    for (let from = at; from >= 0; from -= 1) {
      const found = this.run(start, from, captured, new Set(), at);
      if (found) return found;
    }
    return null;
  }

  /**
   * @param {number} group
   * @param {number} at
   * @param {number[]} captured
   * @returns {number} how long the repetition at this place is; -1: there is none
   */
  repeated(group, at, captured) {
    const from = captured[group * 2] ?? -1;
    const to = captured[group * 2 + 1] ?? -1;
    if (from < 0 || to < from) return 0;
    for (let n = 0; n < to - from; n += 1) {
      if (this.text[at + n] !== this.text[from + n]) return -1;
    }
    return to - from;
  }

  /** @param {Instruction} step @param {number} at */
  holds(step, at) {
    if (step.op === 'start') return at === 0;
    if (step.op === 'end') return at === this.text.length;
    if (step.op === 'fail') return false;
    const word = (/** @type {number} */ place) => contains(WORD, this.text[place] ?? -1);
    return /** @type {{negative: boolean}} */ (step).negative === (word(at - 1) === word(at));
  }
}
