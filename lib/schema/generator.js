/** Makes one value that satisfies several schemas at once: collects what they ask for, tries, tests, tries again. */
import { arrays } from './arrays.js';
import { Choices, Collector } from './facts.js';
import { formatOf } from './formats.js';
import { canonical } from './json.js';
import { Impossible, LIMITS, LimitReached, quote } from './limits.js';
import { numbers } from './numbers.js';
import { objects } from './objects.js';
import { strings } from './strings.js';

/**
 * @typedef {import('./facts.js').Facts} Facts
 * @typedef {import('./facts.js').Place} Place
 */

/** Members of an `enum` that are looked at. */
const MEMBERS = 200;

export class Generator {
  /**
   * @param {import('./references.js').References} references
   * @param {import('./validate.js').Validator} validator
   * @param {import('./limits.js').Budget} budget
   */
  constructor(references, validator, budget) {
    this.references = references;
    this.validator = validator;
    this.budget = budget;
  }

  /**
   * @param {unknown[]} schemas all of which it must satisfy
   * @param {Place} place
   * @returns {unknown}
   * @throws {Impossible}
   */
  value(schemas, place) {
    this.budget.spend(50);
    if (place.depth > LIMITS.valueDepth) {
      throw new Impossible(`the value would be nested deeper than ${LIMITS.valueDepth} levels`);
    }
    const choices = new Choices(place.random);
    /** @type {Impossible | null} */
    let first = null;
    for (; choices.attempt < choices.attempts; choices.attempt += 1) {
      try {
        const facts = new Collector(this.references, this.budget, choices, place).collect(schemas);
        for (const candidate of this.candidates(facts, place)) {
          if (place.avoid?.has(canonical(candidate))) continue;
          if (schemas.every((schema) => this.validator.isValid(schema, candidate))) return candidate;
        }
        first ??= new Impossible(whyNone(facts));
      } catch (error) {
        if (!(error instanceof Impossible) || error instanceof LimitReached) throw error;
        first ??= error;
      }
    }
    throw first ?? new Impossible('no value was found');
  }

  /**
   * @param {string} name of the member, or its index
   * @param {unknown[]} schemas
   * @param {Place} place of the object or list that it is in
   * @param {Set<string>} [avoid]
   * @returns {unknown}
   */
  within(name, schemas, place, avoid) {
    try {
      return this.value(schemas, { ...place, depth: place.depth + 1, avoid });
    } catch (error) {
      if (error instanceof Impossible) error.path.unshift(name);
      throw error;
    }
  }

  /**
   * @param {Facts} facts
   * @param {Place} place
   * @returns {globalThis.Generator<any>} the likeliest first
   */
  *candidates(facts, place) {
    const { random, ordinary } = place;
    if (facts.members) {
      const members = facts.members.slice(0, MEMBERS);
      if (ordinary) yield* suggested(facts, place);
      yield* ordinary
        ? [...members.filter((member) => member !== null), ...members.filter((member) => member === null)]
        : random.shuffle(members);
      return;
    }
    yield* suggested(facts, place);
    const inside = { ...place, brief: facts.brief, entered: facts.entered };
    switch (facts.type) {
      case 'null':
        yield null;
        return;
      case 'boolean':
        yield* ordinary ? [true, false] : random.shuffle([true, false]);
        return;
      case 'number':
        yield* numbers(facts, place);
        return;
      case 'string':
        yield* strings(facts, place, this.validator);
        return;
      case 'array':
        yield* arrays(this, facts, inside);
        return;
      default:
        yield* objects(this, facts, inside);
    }
  }
}

/**
 * @param {Facts} facts
 * @param {Place} place
 * @returns {unknown[]} what the schemas themselves give as values
 */
function suggested({ nodes }, { random, ordinary }) {
  const defaults = nodes.filter((node) => 'default' in node).map((node) => node.default);
  const examples = nodes.flatMap((node) => [
    ...(Array.isArray(node.examples) ? node.examples : []),
    ...('example' in node ? [node.example] : []),
  ]);
  if (ordinary) return [...defaults, ...examples];
  // null as default says "not given".
  const told = [...defaults.filter((value) => value !== null), ...examples];
  return random.chance(told.length > 1 ? 0.6 : 0.3) ? random.shuffle(told) : [];
}

/** @param {Facts} facts */
function whyNone({ nodes, members, type }) {
  if (members) return 'none of the values that enum or const allows satisfies the rest';
  if (type === 'string') {
    for (const { pattern } of nodes) {
      const looks = ['(?=', '(?!', '(?<'].some(
        (look) => typeof pattern === 'string' && pattern.includes(look),
      );
      if (looks)
        return `the pattern ${quote(pattern)} uses a lookahead or lookbehind, and no try satisfied it`;
    }
    const pattern = nodes.map((node) => node.pattern).find((source) => source !== undefined);
    if (pattern !== undefined) return `no string was found for the pattern ${quote(pattern)}`;
    const format = nodes.map((node) => node.format).find(formatOf);
    if (format !== undefined) return `no string was found for the format ${quote(format)}`;
  }
  return `no ${type} was found that satisfies all that applies to it`;
}
