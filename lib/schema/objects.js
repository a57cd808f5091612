/** Candidates for an object. */
import { isCount, isObject, isSchema } from './json.js';
import { Impossible, LIMITS, LimitReached, quote } from './limits.js';
import { sample } from './pattern-sample.js';
import { dependenciesOf } from './validate.js';
import { WORDS } from './words.js';

/**
 * @typedef {import('./json.js').JsonObject} JsonObject
 * @typedef {import('./facts.js').Facts} Facts
 * @typedef {import('./facts.js').Place} Place
 * @typedef {import('./generator.js').Generator} SchemaGenerator
 */

const TRIES = 3;

/** Optional properties that one object has at most, for a value that can be read. */
const OPTIONAL = 12;

/**
 * @param {SchemaGenerator} generator
 * @param {Facts} facts
 * @param {Place} place
 * @returns {Generator<JsonObject>} the caller tests each
 */
export function* objects(generator, facts, place) {
  for (let n = 0; n < TRIES; n += 1) yield new ObjectMaker(generator, facts, place).make();
}

class ObjectMaker {
  /**
   * @param {SchemaGenerator} generator
   * @param {Facts} facts
   * @param {Place} place
   */
  constructor(generator, { nodes, brief }, place) {
    this.generator = generator;
    this.nodes = nodes;
    this.brief = brief;
    this.place = place;
    this.known = [
      ...new Set(nodes.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))),
    ];
    this.min = 0;
    this.max = Infinity;
    for (const { minProperties, maxProperties } of nodes) {
      if (isCount(minProperties)) this.min = Math.max(this.min, minProperties);
      if (isCount(maxProperties)) this.max = Math.min(this.max, maxProperties);
    }
    if (this.min > this.max) {
      throw new Impossible(`no object has at least ${this.min} and at most ${this.max} properties`);
    }
    if (this.min > LIMITS.properties) {
      throw new Impossible(
        `minProperties is ${this.min}, more than the ${LIMITS.properties} that a generated object may have`,
      );
    }
    /** @type {Map<string, unknown[]>} */
    this.schemas = new Map();
    /** @type {Map<string, unknown>} */
    this.made = new Map();
  }

  /** @returns {JsonObject} */
  make() {
    const required = this.withDependencies(
      this.nodes.flatMap((node) => (Array.isArray(node.required) ? node.required : [])),
    );
    if (required.length > LIMITS.properties) {
      throw new Impossible(`more than ${LIMITS.properties} properties are required`);
    }
    if (required.length > this.max) {
      throw new Impossible(`${required.length} properties are required, and ${this.max} allowed`);
    }
    for (const name of required) {
      if (!this.allowed(name)) throw new Impossible(`the required property ${quote(name)} is not allowed`);
      this.made.set(name, this.member(name));
    }
    for (const name of this.chosen()) this.addOptional(name);
    this.fill();
    // In the order in which the schema lists them.
    const names = new Set([...this.known.filter((name) => this.made.has(name)), ...this.made.keys()]);
    return Object.fromEntries([...names].map((name) => [name, this.made.get(name)]));
  }

  /**
   * @param {string[]} names
   * @returns {string[]} and those that they ask for
   */
  withDependencies(names) {
    const all = new Set(names);
    for (const name of all) {
      this.generator.budget.spend(5);
      for (const node of this.nodes) {
        for (const [dependent, others] of dependenciesOf(node)) {
          if (dependent === name && Array.isArray(others)) for (const other of others) all.add(other);
        }
      }
    }
    return [...all].filter((name) => typeof name === 'string');
  }

  /** @param {string} name @returns {unknown[]} what its value must satisfy */
  schemasOf(name) {
    const before = this.schemas.get(name);
    if (before) return before;
    const { validator } = this.generator;
    const found = this.nodes.flatMap((node) => validator.schemasOfProperty(node, name));
    if (found.length === 0) {
      for (const { unevaluatedProperties } of this.nodes) {
        if (isSchema(unevaluatedProperties)) found.push(unevaluatedProperties);
      }
    }
    this.schemas.set(name, found);
    return found;
  }

  /** @param {string} name */
  allowed(name) {
    return (
      !this.schemasOf(name).includes(false) &&
      this.nodes.every(
        ({ propertyNames }) =>
          !isSchema(propertyNames) || this.generator.validator.isValid(propertyNames, name),
      )
    );
  }

  /** @param {string} name @returns {unknown} */
  member(name) {
    return this.generator.within(name, this.schemasOf(name), this.place);
  }

  /** @returns {string[]} the optional properties that are to be there */
  chosen() {
    const { ordinary, random } = this.place;
    if (ordinary || this.brief) return [];
    const share = random.pick([0.3, 0.6, 1]);
    const wanted = this.known.filter((name) => random.chance(share) && !this.isForServer(name));
    return wanted.length > OPTIONAL ? random.shuffle(wanted).slice(0, OPTIONAL) : wanted;
  }

  /** @param {string} name of a property that a client has no business to send */
  isForServer(name) {
    return this.schemasOf(name).some(
      (schema) => isObject(schema) && (schema.readOnly === true || schema.deprecated === true),
    );
  }

  /**
   * Left out where it can't be made.
   *
   * @param {string} name
   */
  addOptional(name) {
    const names = this.withDependencies([name]).filter((other) => !this.made.has(other));
    if (this.made.size + names.length > this.max || !names.every((other) => this.allowed(other))) return;
    try {
      const members = names.map((other) => this.member(other));
      for (const [index, other] of names.entries()) this.made.set(other, members[index]);
    } catch (error) {
      if (!(error instanceof Impossible) || error instanceof LimitReached) throw error;
    }
  }

  /** Up to the number of properties that there must be. */
  fill() {
    for (const name of this.known) {
      if (this.made.size >= this.min) return;
      this.addOptional(name);
    }
    for (let n = 0; this.made.size < this.min && n < this.min * 4 + 20; n += 1) {
      this.addOptional(this.inventedName(n));
    }
    if (this.made.size < this.min)
      throw new Impossible(`${this.min} properties are asked for, and not enough can be made`);
  }

  /** @param {number} n @returns {string} a name that the schema doesn't list */
  inventedName(n) {
    const { random } = this.place;
    const { budget, validator } = this.generator;
    const patterns = this.nodes.flatMap(({ patternProperties }) =>
      isObject(patternProperties) ? Object.keys(patternProperties) : [],
    );
    if (patterns.length > 0 && n % 2 === 0) {
      const pattern = validator.pattern(random.pick(patterns));
      // Longer than it must be, or a pattern such as "^x-" would give one name alone.
      const min = pattern.root.min + (n % 4 === 0 ? 0 : random.integer(2, 6));
      return sample(pattern, { min, max: min + 12 }, { random, budget, mixed: n > 40 });
    }
    const names = this.nodes.map(({ propertyNames }) => propertyNames).filter(isSchema);
    if (names.length > 0) {
      const place = { ...this.place, ordinary: false };
      return String(this.generator.within('', [{ type: 'string' }, ...names], place));
    }
    return `${random.pick(WORDS)}${n < 20 ? '' : n}`;
  }
}
