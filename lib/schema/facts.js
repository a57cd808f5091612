/**
 * What schemas that apply to one value together ask for. Where they leave a choice (a branch of anyOf, one of
 * several types, whether `if` holds) it is made here; who asks again with the next attempt gets another one.
 */
import { isObject, isSchema, own } from './json.js';
import { Impossible } from './limits.js';
import { dependenciesOf, isBranches, itemSchemas, referencesOf, typesOf } from './validate.js';

/**
 * @typedef {import('./json.js').JsonObject} JsonObject
 *
 * @typedef {object} Place where in the value, and how it is to be filled
 * @property {import('./random.js').Random} random
 * @property {boolean} ordinary the plainest value, not a varied one
 * @property {number} depth
 * @property {boolean} brief come to an end: nothing optional, the branch that nests least
 * @property {Map<JsonObject, number>} entered how often each target of a `$ref` was entered on the way here
 * @property {Set<string>} [avoid] values, as canonical text, that are taken
 *
 * @typedef {object} Facts
 * @property {JsonObject[]} nodes the schemas that must hold
 * @property {string} type of the value
 * @property {boolean} integer a number must be whole
 * @property {boolean} fraction a number must not be whole
 * @property {unknown[] | null} members the only values that are possible
 * @property {boolean} brief
 * @property {Map<JsonObject, number>} entered
 */

/** Below this the value is to end soon. */
const BRIEF_FROM_DEPTH = 4;

const ALL_TYPES = ['string', 'number', 'boolean', 'object', 'array', 'null'];

/** Which type a schema is about that names none. @type {Record<string, string>} */
const KEYWORD_TYPES = {
  properties: 'object',
  required: 'object',
  additionalProperties: 'object',
  patternProperties: 'object',
  propertyNames: 'object',
  minProperties: 'object',
  maxProperties: 'object',
  unevaluatedProperties: 'object',
  items: 'array',
  prefixItems: 'array',
  minItems: 'array',
  maxItems: 'array',
  uniqueItems: 'array',
  contains: 'array',
  unevaluatedItems: 'array',
  minLength: 'string',
  maxLength: 'string',
  pattern: 'string',
  format: 'string',
  contentEncoding: 'string',
  contentMediaType: 'string',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
};

/** Keywords whose negation is worth a choice of its own. */
const ANNOTATIONS = new Set([
  '$comment',
  '$id',
  '$schema',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
]);

/** Deals out choices: attempt 0 gets the first option everywhere, later ones the others. */
export class Choices {
  /** @param {import('./random.js').Random} random */
  constructor(random) {
    this.random = random;
    this.attempt = 0;
    this.widest = 1;
  }

  /** How many attempts are worth it. */
  get attempts() {
    return this.widest === 1 ? 1 : Math.min(this.widest + 12, 100);
  }

  /**
   * @template T
   * @param {T[]} options
   * @returns {T}
   */
  pick(options) {
    this.widest = Math.max(this.widest, options.length);
    return this.attempt < options.length
      ? /** @type {T} */ (options[this.attempt])
      : this.random.pick(options);
  }
}

/** Collects the facts of one attempt. */
export class Collector {
  /**
   * @param {import('./references.js').References} references
   * @param {import('./limits.js').Budget} budget
   * @param {Choices} choices
   * @param {Place} place
   */
  constructor(references, budget, choices, place) {
    this.references = references;
    this.budget = budget;
    this.choices = choices;
    this.place = place;
    this.brief = place.brief || place.depth >= BRIEF_FROM_DEPTH;
    this.entered = new Map(place.entered);
    /** @type {Set<JsonObject>} */
    this.nodes = new Set();
    /** @type {Set<string>} */
    this.excluded = new Set();
    this.nesting = 0;
  }

  /** @param {unknown[]} schemas @returns {Facts} */
  collect(schemas) {
    for (const schema of schemas) this.add(schema);
    const nodes = [...this.nodes];
    const members = givenMembers(nodes);
    const { types, integer } = this.types(nodes);
    return {
      nodes,
      type: members ? '' : this.choices.pick(types),
      integer,
      fraction: this.excluded.has('integer'),
      members,
      brief: this.brief,
      entered: this.entered,
    };
  }

  /** @param {unknown} schema that must hold */
  add(schema) {
    if (schema === false) throw new Impossible('a schema is false: it allows no value');
    // What is met again on the way adds nothing.
    if (!isObject(schema) || this.nodes.has(schema)) return;
    this.budget.spend(20);
    this.nesting += 1;
    if (this.nesting > 100)
      throw new Impossible('more than 100 schemas apply to one value inside each other');
    this.nodes.add(schema);
    this.addReferenced(schema);
    if (Array.isArray(schema.allOf)) for (const part of schema.allOf) this.add(part);
    if (isBranches(schema.anyOf)) this.add(this.choices.pick(this.ordered(schema.anyOf)));
    if (isBranches(schema.oneOf)) this.addOneOf(schema.oneOf);
    if (isSchema(schema.if)) this.addConditional(schema);
    if (isSchema(schema.not)) this.addNot(schema.not);
    for (const [name, dependency] of dependenciesOf(schema)) {
      if (isSchema(dependency)) this.addDependency(name, dependency, schema);
    }
    this.nesting -= 1;
  }

  /** @param {JsonObject} schema */
  addReferenced(schema) {
    for (const reference of referencesOf(schema)) {
      const target = this.references.resolve(reference, schema);
      if (isObject(target) && !this.nodes.has(target)) this.enter(target);
      this.add(target);
    }
  }

  /** @param {JsonObject} target of a reference: met often enough, it is to nest no further */
  enter(target) {
    const times = this.place.entered.get(target) ?? 0;
    this.entered.set(target, times + 1);
    if (times >= (this.place.ordinary ? 1 : 2)) this.brief = true;
  }

  /** @param {unknown[]} branches */
  addOneOf(branches) {
    const order = this.ordered(branches);
    // That the others fail is left to chance at first: most are told apart by what they require.
    const options = [false, true].flatMap((strict) => order.map((branch) => ({ branch, strict })));
    const { branch, strict } =
      branches.length === 1 ? { branch: branches[0], strict: false } : this.choices.pick(options);
    this.add(branch);
    if (!strict) return;
    this.addNone(branches.filter((other) => other !== branch));
  }

  /** @param {JsonObject} schema */
  addConditional(schema) {
    if (!isSchema(schema.then) && !isSchema(schema.else)) return;
    const { random, ordinary } = this.place;
    const cases = ordinary ? ['unasked', 'then', 'else'] : [...random.shuffle(['then', 'else']), 'unasked'];
    const chosen = this.choices.pick(cases);
    if (chosen === 'then') {
      this.add(schema.if);
      this.add(schema.then);
    } else if (chosen === 'else') {
      this.addNot(schema.if);
      this.add(schema.else);
    }
  }

  /**
   * @param {string} name
   * @param {JsonObject | boolean} dependency
   * @param {JsonObject} schema
   */
  addDependency(name, dependency, schema) {
    const required = Array.isArray(schema.required) && schema.required.includes(name);
    if (
      !required &&
      this.choices.pick(
        this.brief || this.place.ordinary ? [false, true] : this.place.random.shuffle([false, true]),
      ) === false
    ) {
      this.add({ properties: { [name]: false } });
      return;
    }
    this.add({ required: [name] });
    this.add(dependency);
  }

  /**
   * One way for a schema not to hold: one of its keywords does not. It is a choice because some keywords have
   * no negation that could be added; the finished value is tested in any case.
   *
   * @param {unknown} schema
   */
  addNot(schema) {
    if (schema === true) throw new Impossible('a schema is "not" true: it allows no value');
    if (!isObject(schema)) return;
    this.budget.spend(20);
    this.nesting += 1;
    if (this.nesting > 100)
      throw new Impossible('more than 100 schemas apply to one value inside each other');
    const keywords = Object.keys(schema).filter((keyword) => !ANNOTATIONS.has(keyword));
    if (keywords.length === 0) throw new Impossible('a schema is "not" anything: it allows no value');
    const ways = keywords.flatMap((keyword) => this.waysNot(keyword, schema));
    const untouched = () => {};
    const only = keywords.length === 1 && ways.length === 1 ? ways[0] : undefined;
    (only ?? this.choices.pick([untouched, ...ways]))();
    this.nesting -= 1;
  }

  /**
   * @param {string} keyword
   * @param {JsonObject} schema
   * @returns {(() => void)[]} each makes this keyword fail
   */
  waysNot(keyword, schema) {
    const value = schema[keyword];
    switch (keyword) {
      case 'type':
        return [() => this.exclude(typesOf(schema) ?? [])];
      case 'not':
        return [() => this.add(value)];
      case '$ref':
        return [() => this.addNot(this.references.resolve(value, schema))];
      case 'anyOf':
      case 'oneOf':
        return isBranches(value) ? [() => this.addNone(value)] : [];
      case 'allOf':
        return isBranches(value) ? value.map((branch) => () => this.addNot(branch)) : [];
      case 'required':
        return Array.isArray(value)
          ? value.map((name) => () => this.add({ type: 'object', properties: { [name]: false } }))
          : [];
      case 'properties':
        return isObject(value)
          ? Object.keys(value).map(
              (name) => () =>
                this.add({ type: 'object', required: [name], properties: { [name]: { not: value[name] } } }),
            )
          : [];
      case 'items':
        return isSchema(value)
          ? [() => this.add({ type: 'array', minItems: 1, contains: { not: value } })]
          : [];
      default: {
        const opposite = oppositeOf(keyword, value);
        return opposite ? [() => this.add(opposite)] : [];
      }
    }
  }

  /** @param {unknown[]} schemas none of which must hold */
  addNone(schemas) {
    for (const schema of schemas) this.addNot(schema);
  }

  /** @param {string[]} types */
  exclude(types) {
    for (const type of types) this.excluded.add(type);
  }

  /**
   * @param {unknown[]} branches
   * @returns {unknown[]} the one to try first first
   */
  ordered(branches) {
    const { ordinary, random } = this.place;
    if (this.brief) return this.byHeight(branches);
    if (!ordinary) return random.shuffle(branches);
    return [...branches.filter((branch) => !isNull(branch)), ...branches.filter(isNull)];
  }

  /** @param {unknown[]} branches */
  byHeight(branches) {
    return branches
      .map((branch, index) => ({ branch, index, height: this.height(branch, 0) }))
      .sort((a, b) => a.height - b.height || a.index - b.index)
      .map(({ branch }) => branch);
  }

  /**
   * @param {unknown} schema
   * @param {number} depth
   * @returns {number} about how many levels the smallest value has
   */
  height(schema, depth) {
    this.budget.spend(10);
    if (!isObject(schema) || depth > 8) return isObject(schema) ? 8 : 0;
    /** @type {number[]} */
    const heights = [0];
    for (const reference of referencesOf(schema)) {
      heights.push(this.height(this.references.resolve(reference, schema), depth + 1));
    }
    if (isBranches(schema.allOf)) heights.push(...schema.allOf.map((part) => this.height(part, depth + 1)));
    for (const branches of [schema.anyOf, schema.oneOf]) {
      if (isBranches(branches))
        heights.push(Math.min(...branches.map((branch) => this.height(branch, depth + 1))));
    }
    if (Array.isArray(schema.required) && isObject(schema.properties)) {
      for (const name of schema.required)
        heights.push(1 + this.height(own(schema.properties, name), depth + 1));
    }
    if (schema.minItems > 0) heights.push(1 + this.height(itemSchemas(schema).rest, depth + 1));
    return Math.max(...heights);
  }

  /**
   * @param {JsonObject[]} nodes
   * @returns {{types: string[], integer: boolean}} the types that are possible, the likeliest first
   */
  types(nodes) {
    /** @type {string[] | null} */
    let allowed = null;
    let integer = false;
    for (const node of nodes) {
      const types = typesOf(node);
      if (!types) continue;
      if (types.includes('integer') && !types.includes('number')) integer = true;
      const plain = types.map((type) => (type === 'integer' ? 'number' : type));
      allowed = allowed ? allowed.filter((type) => plain.includes(type)) : [...new Set(plain)];
    }
    const about = [
      ...new Set(nodes.flatMap((node) => Object.keys(node).map((key) => own(KEYWORD_TYPES, key) ?? ''))),
    ];
    const order = allowed ?? [...about.filter((type) => type !== ''), ...ALL_TYPES];
    const types = [...new Set(order)].filter((type) => !this.excluded.has(type));
    if (types.length === 0) throw new Impossible('the types that are asked for exclude each other');
    const { ordinary, random } = this.place;
    const inOrder = allowed && !ordinary ? random.shuffle(types) : types;
    return {
      types: [...inOrder.filter((type) => type !== 'null'), ...inOrder.filter((type) => type === 'null')],
      integer,
    };
  }
}

/** @param {unknown} schema */
const isNull = (schema) => isObject(schema) && (schema.type === 'null' || schema.const === null);

/**
 * @param {JsonObject[]} nodes
 * @returns {unknown[] | null} what `const` or the shortest `enum` allows
 */
function givenMembers(nodes) {
  /** @type {unknown[] | null} */
  let fewest = null;
  for (const node of nodes) {
    const members = 'const' in node ? [node.const] : node.enum;
    if (Array.isArray(members) && (!fewest || members.length < fewest.length)) fewest = members;
  }
  return fewest;
}

/**
 * @param {string} keyword
 * @param {any} value
 * @returns {JsonObject | null} what holds where the keyword does not
 */
function oppositeOf(keyword, value) {
  switch (keyword) {
    case 'minimum':
      return { type: 'number', exclusiveMaximum: value };
    case 'maximum':
      return { type: 'number', exclusiveMinimum: value };
    case 'exclusiveMinimum':
      return { type: 'number', maximum: value };
    case 'exclusiveMaximum':
      return { type: 'number', minimum: value };
    case 'minLength':
      return { type: 'string', maxLength: value - 1 };
    case 'maxLength':
      return { type: 'string', minLength: value + 1 };
    case 'minItems':
      return { type: 'array', maxItems: value - 1 };
    case 'maxItems':
      return { type: 'array', minItems: value + 1 };
    case 'minProperties':
      return { type: 'object', maxProperties: value - 1 };
    case 'maxProperties':
      return { type: 'object', minProperties: value + 1 };
    case 'contains':
      return { type: 'array', items: { not: value } };
    case 'pattern':
    case 'format':
      return { type: 'string' };
    case 'multipleOf':
      return { type: 'number' };
    default:
      return null;
  }
}
