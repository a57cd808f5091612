/**
 * Is a value valid by a schema? Keywords of all drafts from 4 to 2020-12 are applied side by side, whatever
 * `$schema` says: a server means what it writes. A keyword whose value makes no sense is left out.
 */
import { formatOf } from './formats.js';
import { canonical, characters, isCount, isObject, isSchema, own, typeOf } from './json.js';
import { Impossible, LIMITS, LimitReached, quote } from './limits.js';
import { parsePattern } from './pattern.js';
import { matches } from './pattern-match.js';

/**
 * @typedef {import('./json.js').JsonObject} JsonObject
 *
 * @typedef {object} Evaluated what unevaluatedProperties and unevaluatedItems need to know of one value
 * @property {Set<string>} properties
 * @property {Set<number>} items
 *
 * @typedef {(name: string, value: any, schema: JsonObject) => boolean} Check
 */

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/**
 * @param {JsonObject} schema
 * @returns {string[] | null} null: any
 * @throws {Impossible} where it names one that JSON Schema doesn't have
 */
export function typesOf(schema) {
  if (schema.type === undefined) return null;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const unknown = types.find((type) => !TYPES.includes(type));
  if (unknown !== undefined) {
    throw new Impossible(`the type ${quote(unknown)} is none of ${TYPES.join(', ')}`);
  }
  return schema.nullable === true ? [...types, 'null'] : types;
}

/**
 * @param {JsonObject} schema
 * @returns {{list: unknown[], rest: unknown}} the schemas of the first items, and of all after them
 */
export function itemSchemas(schema) {
  const { items, prefixItems, additionalItems } = schema;
  if (Array.isArray(prefixItems)) return { list: prefixItems, rest: items };
  return Array.isArray(items) ? { list: items, rest: additionalItems } : { list: [], rest: items };
}

/**
 * Lower and upper bound of a number; draft-04 writes whether they are exclusive as a boolean.
 *
 * @param {JsonObject} schema
 */
export function boundsOf(schema) {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const bounds = { low: -Infinity, lowExclusive: false, high: Infinity, highExclusive: false };
  if (typeof minimum === 'number') {
    bounds.low = minimum;
    bounds.lowExclusive = exclusiveMinimum === true;
  }
  if (typeof exclusiveMinimum === 'number' && exclusiveMinimum >= bounds.low) {
    bounds.low = exclusiveMinimum;
    bounds.lowExclusive = true;
  }
  if (typeof maximum === 'number') {
    bounds.high = maximum;
    bounds.highExclusive = exclusiveMaximum === true;
  }
  if (typeof exclusiveMaximum === 'number' && exclusiveMaximum <= bounds.high) {
    bounds.high = exclusiveMaximum;
    bounds.highExclusive = true;
  }
  return bounds;
}

/** Formats of numbers; those of strings are in formats.js. @type {Record<string, [low: number, high: number]>} */
export const INTEGER_FORMATS = {
  int32: [-2147483648, 2147483647],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

export class Validator {
  /**
   * @param {import('./references.js').References} references of the document that the schemas belong to
   * @param {import('./limits.js').Budget} budget
   */
  constructor(references, budget) {
    this.references = references;
    this.budget = budget;
    this.depth = 0;
    /** @type {Map<string, import('./pattern.js').Pattern>} */
    this.patterns = new Map();
  }

  /**
   * @param {unknown} schema
   * @param {unknown} value
   * @returns {boolean}
   * @throws {Impossible} where it can't be told
   */
  isValid(schema, value) {
    return this.apply(schema, value, this.references.unevaluated ? newEvaluated() : null);
  }

  /** @param {string} source */
  pattern(source) {
    let pattern = this.patterns.get(source);
    if (!pattern) {
      pattern = parsePattern(source);
      this.patterns.set(source, pattern);
    }
    return pattern;
  }

  /** @param {string} source @param {string} text */
  matches(source, text) {
    return matches(this.pattern(source), text, this.budget);
  }

  /**
   * @param {unknown} schema
   * @param {unknown} value
   * @param {Evaluated | null} evaluated gets what the schema evaluates, where it is valid
   * @returns {boolean}
   */
  apply(schema, value, evaluated) {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) return true;
    this.budget.spend(10);
    if (this.depth > LIMITS.nestedChecks) throw new LimitReached('the schema refers to itself without end');
    this.depth += 1;
    const inner = evaluated && newEvaluated();
    try {
      const valid =
        this.general(schema, value) &&
        (typeof value !== 'number' || this.number(schema, value)) &&
        (typeof value !== 'string' || this.string(schema, value)) &&
        (!Array.isArray(value) || this.array(schema, value, inner)) &&
        (!isObject(value) || this.object(schema, value, inner)) &&
        this.referenced(schema, value, inner) &&
        this.combined(schema, value, inner) &&
        this.conditional(schema, value, inner) &&
        (!inner || this.unevaluated(schema, value, inner));
      if (valid && evaluated && inner) addEvaluated(evaluated, inner);
      return valid;
    } finally {
      this.depth -= 1;
    }
  }

  /** @param {JsonObject} schema @param {unknown} value */
  general(schema, value) {
    const types = typesOf(schema);
    if (types && !types.some((type) => isOfType(type, value))) return false;
    if ('const' in schema && !this.equal(schema.const, value)) return false;
    return !Array.isArray(schema.enum) || schema.enum.some((member) => this.equal(member, value));
  }

  /** @param {unknown} one @param {unknown} other @returns {boolean} */
  equal(one, other) {
    this.budget.spend();
    if (one === other) return true;
    if (typeOf(one) !== typeOf(other) || typeof one !== 'object') return false;
    return canonical(one) === canonical(other);
  }

  /** @param {JsonObject} schema @param {number} value */
  number(schema, value) {
    const { low, lowExclusive, high, highExclusive } = boundsOf(schema);
    if (value < low || (lowExclusive && value === low)) return false;
    if (value > high || (highExclusive && value === high)) return false;
    if (typeof schema.multipleOf === 'number' && schema.multipleOf > 0) {
      if (!Number.isInteger(value / schema.multipleOf)) return false;
    }
    const range = typeof schema.format === 'string' ? own(INTEGER_FORMATS, schema.format) : undefined;
    return !range || (Number.isInteger(value) && range[0] <= value && value <= range[1]);
  }

  /** @param {JsonObject} schema @param {string} value */
  string(schema, value) {
    const { minLength, maxLength, pattern, format } = schema;
    if (isCount(minLength) && characters(value) < minLength) return false;
    if (isCount(maxLength) && characters(value) > maxLength) return false;
    const known = formatOf(format);
    if (known && !known.accepts(value)) return false;
    return typeof pattern !== 'string' || this.matches(pattern, value);
  }

  /** @param {JsonObject} schema @param {unknown[]} value @param {Evaluated | null} evaluated */
  array(schema, value, evaluated) {
    const { minItems, maxItems, uniqueItems } = schema;
    if (isCount(minItems) && value.length < minItems) return false;
    if (isCount(maxItems) && value.length > maxItems) return false;
    if (uniqueItems === true && new Set(value.map(canonical)).size < value.length) return false;
    const { list, rest } = itemSchemas(schema);
    for (const [index, item] of value.entries()) {
      const itemSchema = index < list.length ? list[index] : rest;
      if (!isSchema(itemSchema)) continue;
      evaluated?.items.add(index);
      if (!this.isValid(itemSchema, item)) return false;
    }
    return this.contains(schema, value, evaluated);
  }

  /** @param {JsonObject} schema @param {unknown[]} value @param {Evaluated | null} evaluated */
  contains({ contains, minContains, maxContains }, value, evaluated) {
    if (!isSchema(contains)) return true;
    let count = 0;
    for (const [index, item] of value.entries()) {
      if (!this.isValid(contains, item)) continue;
      evaluated?.items.add(index);
      count += 1;
    }
    return (
      count >= (isCount(minContains) ? minContains : 1) && !(isCount(maxContains) && count > maxContains)
    );
  }

  /** @param {JsonObject} schema @param {JsonObject} value @param {Evaluated | null} evaluated */
  object(schema, value, evaluated) {
    const names = Object.keys(value);
    const { minProperties, maxProperties, required, propertyNames } = schema;
    if (isCount(minProperties) && names.length < minProperties) return false;
    if (isCount(maxProperties) && names.length > maxProperties) return false;
    if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, name))) return false;
    for (const name of names) {
      if (isSchema(propertyNames) && !this.isValid(propertyNames, name)) return false;
      for (const memberSchema of this.schemasOfProperty(schema, name)) {
        evaluated?.properties.add(name);
        if (!this.isValid(memberSchema, value[name])) return false;
      }
    }
    return this.dependencies(schema, value, evaluated);
  }

  /**
   * @param {JsonObject} schema
   * @param {string} name
   * @returns {unknown[]} what `properties`, `patternProperties` and `additionalProperties` say of it
   */
  schemasOfProperty({ properties, patternProperties, additionalProperties }, name) {
    const found = [];
    const named = isObject(properties) ? own(properties, name) : undefined;
    if (isSchema(named)) found.push(named);
    if (isObject(patternProperties)) {
      for (const [pattern, schema] of Object.entries(patternProperties)) {
        if (this.matches(pattern, name)) found.push(schema);
      }
    }
    if (found.length === 0 && isSchema(additionalProperties)) found.push(additionalProperties);
    return found;
  }

  /** @param {JsonObject} schema @param {JsonObject} value @param {Evaluated | null} evaluated */
  dependencies(schema, value, evaluated) {
    for (const [name, dependency] of dependenciesOf(schema)) {
      if (!Object.hasOwn(value, name)) continue;
      if (Array.isArray(dependency)) {
        if (!dependency.every((other) => Object.hasOwn(value, other))) return false;
      } else if (!this.apply(dependency, value, evaluated)) {
        return false;
      }
    }
    return true;
  }

  /** @param {JsonObject} schema @param {unknown} value @param {Evaluated | null} evaluated */
  referenced(schema, value, evaluated) {
    return referencesOf(schema).every((reference) =>
      this.apply(this.references.resolve(reference, schema), value, evaluated),
    );
  }

  /** @param {JsonObject} schema @param {unknown} value @param {Evaluated | null} evaluated */
  combined(schema, value, evaluated) {
    const { allOf, anyOf, oneOf, not } = schema;
    if (Array.isArray(allOf) && !allOf.every((branch) => this.apply(branch, value, evaluated))) return false;
    if (isBranches(anyOf) && !this.anyHolds(anyOf, value, evaluated)) return false;
    if (isBranches(oneOf)) {
      let count = 0;
      for (const branch of oneOf) {
        if (this.apply(branch, value, evaluated)) count += 1;
        if (count > 1) return false;
      }
      if (count === 0) return false;
    }
    return !isSchema(not) || !this.apply(not, value, evaluated && newEvaluated());
  }

  /** @param {unknown[]} branches @param {unknown} value @param {Evaluated | null} evaluated */
  anyHolds(branches, value, evaluated) {
    let holds = false;
    /** @type {Impossible | null} */
    let unknown = null;
    for (const branch of branches) {
      try {
        holds = this.apply(branch, value, evaluated) || holds;
      } catch (error) {
        // A branch that can't be told, such as a reference to elsewhere, does not matter where another one holds.
        if (!(error instanceof Impossible) || error instanceof LimitReached) throw error;
        unknown ??= error;
      }
      // The rest counts only where someone asks what was evaluated.
      if (holds && !evaluated) return true;
    }
    if (!holds && unknown) throw unknown;
    return holds;
  }

  /** @param {JsonObject} schema @param {unknown} value @param {Evaluated | null} evaluated */
  conditional(schema, value, evaluated) {
    if (!isSchema(schema.if)) return true;
    const branch = this.apply(schema.if, value, evaluated) ? schema.then : schema.else;
    return !isSchema(branch) || this.apply(branch, value, evaluated);
  }

  /** @param {JsonObject} schema @param {unknown} value @param {Evaluated} evaluated */
  unevaluated({ unevaluatedItems, unevaluatedProperties }, value, evaluated) {
    if (Array.isArray(value) && isSchema(unevaluatedItems)) {
      for (const [index, item] of value.entries()) {
        if (!evaluated.items.has(index) && !this.isValid(unevaluatedItems, item)) return false;
        evaluated.items.add(index);
      }
    }
    if (isObject(value) && isSchema(unevaluatedProperties)) {
      for (const [name, member] of Object.entries(value)) {
        if (!evaluated.properties.has(name) && !this.isValid(unevaluatedProperties, member)) return false;
        evaluated.properties.add(name);
      }
    }
    return true;
  }
}

/**
 * @param {unknown} branches
 * @returns {branches is unknown[]}
 */
export const isBranches = (branches) => Array.isArray(branches) && branches.length > 0;

/** @param {string} type @param {unknown} value */
function isOfType(type, value) {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
}

/**
 * @param {JsonObject} schema
 * @returns {[name: string, dependency: any][]} lists of names and schemas, under all their keywords
 */
export function dependenciesOf({ dependencies, dependentRequired, dependentSchemas }) {
  return [dependencies, dependentRequired, dependentSchemas]
    .filter(isObject)
    .flatMap((all) => Object.entries(all))
    .filter(([, dependency]) => Array.isArray(dependency) || isSchema(dependency));
}

/** @param {JsonObject} schema @returns {string[]} */
export function referencesOf({ $ref, $dynamicRef, $recursiveRef }) {
  return [$ref, $dynamicRef, $recursiveRef].filter((reference) => typeof reference === 'string');
}

/** @returns {Evaluated} */
const newEvaluated = () => ({ properties: new Set(), items: new Set() });

/** @param {Evaluated} all @param {Evaluated} more */
function addEvaluated(all, more) {
  for (const name of more.properties) all.properties.add(name);
  for (const index of more.items) all.items.add(index);
}
