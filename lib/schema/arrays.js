/** Candidates for a list. */
import { canonical, isCount, isSchema } from './json.js';
import { Impossible, LIMITS, LimitReached } from './limits.js';
import { itemSchemas } from './validate.js';

/**
 * @typedef {import('./facts.js').Facts} Facts
 * @typedef {import('./facts.js').Place} Place
 * @typedef {import('./generator.js').Generator} SchemaGenerator
 *
 * @typedef {object} Containing
 * @property {unknown} schema
 * @property {number} min items that satisfy it
 * @property {number} max
 */

const TRIES = 4;

/**
 * @param {SchemaGenerator} generator
 * @param {Facts} facts
 * @param {Place} place
 * @returns {Generator<unknown[]>} the caller tests each
 */
export function* arrays(generator, facts, place) {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    yield new ArrayMaker(generator, facts, place, attempt).make();
  }
}

class ArrayMaker {
  /**
   * @param {SchemaGenerator} generator
   * @param {Facts} facts
   * @param {Place} place
   * @param {number} attempt
   */
  constructor(generator, { nodes, brief }, place, attempt) {
    this.generator = generator;
    this.nodes = nodes;
    this.brief = brief;
    this.place = place;
    this.attempt = attempt;
    this.unique = nodes.some(({ uniqueItems }) => uniqueItems === true);
    this.listed = Math.max(0, ...nodes.map((node) => itemSchemas(node).list.length));
    /** @type {Containing[]} */
    this.containing = nodes
      .filter(({ contains }) => isSchema(contains))
      .map(({ contains, minContains, maxContains }) => ({
        schema: contains,
        min: isCount(minContains) ? minContains : 1,
        max: isCount(maxContains) ? maxContains : Infinity,
      }));
    this.min = 0;
    this.max = Infinity;
    for (const { minItems, maxItems } of nodes) {
      if (isCount(minItems)) this.min = Math.max(this.min, Math.ceil(minItems));
      if (isCount(maxItems)) this.max = Math.min(this.max, Math.floor(maxItems));
    }
    // One item may satisfy all of them, or each may need its own: that is a matter of the attempt.
    const contained = this.containing.map(({ min }) => min);
    const together =
      attempt % 2 === 0 ? contained.reduce((sum, min) => sum + min, 0) : Math.max(0, ...contained);
    this.min = Math.max(this.min, Math.min(together, Math.max(this.max, ...contained)));
    if (this.min > this.max)
      throw new Impossible(`no list has at least ${this.min} and at most ${this.max} items`);
    if (this.min > LIMITS.items) {
      throw new Impossible(
        `a list of ${this.min} items is asked for, more than the ${LIMITS.items} that a generated one may have`,
      );
    }
  }

  /** @returns {unknown[]} */
  make() {
    const length = this.length();
    const wanted = this.placed(length);
    /** @type {unknown[]} */
    const items = [];
    /** @type {Set<string>} */
    const taken = new Set();
    for (let index = 0; index < length; index += 1) {
      const item = this.item(index, wanted[index] ?? [], taken, index >= this.min);
      if (item === undefined) break;
      items.push(item);
      if (this.unique) taken.add(canonical(item));
    }
    return items;
  }

  /** How many items. */
  length() {
    const { ordinary, random } = this.place;
    const usual = Math.max(this.min, this.listed, this.brief ? 0 : 1);
    const most = Math.min(this.max, LIMITS.items);
    const more = ordinary || this.brief || this.attempt > 1 ? 0 : random.integer(0, 2);
    return Math.min(this.brief ? this.min : usual + more, most);
  }

  /**
   * @param {number} length
   * @returns {unknown[][]} by index, what an item must satisfy besides, so that the list contains what it must
   */
  placed(length) {
    /** @type {unknown[][]} */
    const wanted = Array.from({ length }, () => []);
    let last = length;
    for (const { schema, min, max } of this.containing) {
      // At the end, where no place of a tuple is; later attempts try others.
      const places = wanted.map((_, index) => index);
      const order =
        this.attempt < 2
          ? [...places.slice(0, last).reverse(), ...places.slice(last)]
          : this.place.random.shuffle(places);
      for (const [count, index] of order.entries()) {
        if (count < min) wanted[index]?.push(schema);
        else if (max < length) wanted[index]?.push({ not: schema });
      }
      if (this.attempt % 2 === 0) last = Math.max(0, last - min);
    }
    return wanted;
  }

  /**
   * @param {number} index
   * @param {unknown[]} wanted
   * @param {Set<string>} taken
   * @param {boolean} optional
   * @returns {unknown} undefined: the list ends before it
   */
  item(index, wanted, taken, optional) {
    const schemas = this.nodes.flatMap((node) => {
      const { list, rest } = itemSchemas(node);
      const schema = index < list.length ? list[index] : rest;
      return isSchema(schema) ? [schema] : [];
    });
    if (schemas.length === 0) {
      schemas.push(...this.nodes.map(({ unevaluatedItems }) => unevaluatedItems).filter(isSchema));
    }
    try {
      return this.generator.within(String(index), [...schemas, ...wanted], this.place, taken);
    } catch (error) {
      if (!optional || !(error instanceof Impossible) || error instanceof LimitReached) throw error;
      return undefined;
    }
  }
}
