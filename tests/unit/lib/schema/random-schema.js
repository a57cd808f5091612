/** Random JSON Schemas around a value that satisfies them, so that each is known to be satisfiable. */

/**
 * @typedef {import('../../../../lib/schema/random.js').Random} Random
 * @typedef {'2020-12' | 'draft-07'} Dialect
 * @typedef {Record<string, any> | boolean} Schema
 */

const NAMES = ['id', 'name', 'path', 'kind', 'size', 'tags', 'a/b', 'c~d', 'x-y', 'sort', '1'];
const STRINGS = ['', 'a', 'hello', 'Hello World', 'x-1', '42', 'ünïcode', '😀 smile', 'line\nbreak', 'a.b.c'];
const NUMBERS = [0, 1, 2, 3, 7, 10, 100, -1, -5, 0.5, 2.25, -0.1, 1e6];
/** @type {[format: string, value: string][]} */
const FORMATTED = [
  ['date', '2026-02-28'],
  ['date-time', '2026-02-28T23:59:59Z'],
  ['email', 'some.one@example.org'],
  ['uri', 'https://example.org/a?b=c#d'],
  ['uri-reference', '../a/b'],
  ['uuid', '123e4567-e89b-42d3-a456-426614174000'],
  ['ipv4', '10.0.0.1'],
  ['ipv6', '::1'],
  ['hostname', 'a.example.org'],
  ['duration', 'P1DT2H'],
  ['json-pointer', '/a/b'],
];

/** @param {Random} random @param {number} depth @returns {any} */
export function randomValue(random, depth = 0) {
  const kinds = [
    'string',
    'string',
    'number',
    'boolean',
    'null',
    ...(depth < 3 ? ['object', 'object', 'array'] : []),
  ];
  switch (random.pick(kinds)) {
    case 'string':
      return random.chance(0.25) ? (random.pick(FORMATTED)[1] ?? '') : random.pick(STRINGS);
    case 'number':
      return random.pick(NUMBERS);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: random.integer(0, 4) }, () => randomValue(random, depth + 1));
    default:
      return randomObject(random, depth);
  }
}

/** @param {Random} random @param {number} depth @returns {Record<string, any>} */
export function randomObject(random, depth = 0) {
  const names = random.shuffle(NAMES).slice(0, random.integer(0, 4));
  return Object.fromEntries(names.map((name) => [name, randomValue(random, depth + 1)]));
}

/**
 * By assignment: an object literal with a `then` looks like a promise.
 *
 * @param {Record<string, any>} schema
 * @param {Schema} condition
 * @param {Schema} yes
 * @param {Schema} no
 */
function conditional(schema, condition, yes, no) {
  Object.assign(
    schema,
    Object.fromEntries([
      ['if', condition],
      ['then', yes],
      ['else', no],
    ]),
  );
}

/** @param {unknown} value */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {unknown} value */
function typeName(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Makes a document: schemas that were moved into definitions are referred to. */
export class SchemaMaker {
  /** @param {Random} random @param {Dialect} dialect */
  constructor(random, dialect) {
    this.random = random;
    this.modern = dialect === '2020-12';
    /** @type {Record<string, Schema>} */
    this.definitions = {};
  }

  /** @param {Record<string, any>} witness @returns {Record<string, any>} */
  document(witness) {
    const root = this.around(witness, 0);
    const schema = isObject(root) ? /** @type {Record<string, any>} */ (root) : { allOf: [root] };
    const keyword = this.modern ? '$defs' : 'definitions';
    return Object.keys(this.definitions).length > 0 ? { ...schema, [keyword]: this.definitions } : schema;
  }

  /** @param {any} value @param {number} depth @returns {Schema} that the value satisfies */
  around(value, depth) {
    const { random } = this;
    /** @type {Record<string, any>} */
    const schema = random.chance(0.03) ? {} : this.plain(value, depth);
    if (depth < 5 && random.chance(0.35)) this.combine(schema, value, depth);
    if (random.chance(0.12)) {
      const name = random.pick(['plain', 'a/b', 'with~tilde', 'per%cent', `n${random.integer(0, 99)}`]);
      if (!Object.hasOwn(this.definitions, name)) {
        this.definitions[name] = schema;
        const pointer = encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
        return { $ref: `#/${this.modern ? '$defs' : 'definitions'}/${pointer}` };
      }
    }
    return schema;
  }

  /** @param {any} value @param {number} depth @returns {Record<string, any>} */
  plain(value, depth) {
    const { random } = this;
    const type = typeName(value);
    if (random.chance(0.08)) return { const: value };
    if (random.chance(0.1))
      return { enum: random.shuffle([value, 'other', 17, null].filter((x, i, all) => all.indexOf(x) === i)) };
    /** @type {Record<string, any>} */
    const schema = {};
    if (random.chance(0.85)) {
      const named = type === 'number' && Number.isInteger(value) && random.chance(0.6) ? 'integer' : type;
      schema.type = random.chance(0.12) ? [...new Set([named, 'null', 'string'])] : named;
    }
    if (type === 'string') this.aboutString(schema, value);
    else if (type === 'number') this.aboutNumber(schema, value);
    else if (type === 'array') this.aboutArray(schema, value, depth);
    else if (type === 'object') this.aboutObject(schema, value, depth);
    if (random.chance(0.08)) schema.default = random.chance(0.5) ? value : 'not a valid default?';
    if (random.chance(0.05)) schema.examples = [value];
    return schema;
  }

  /** @param {Record<string, any>} schema @param {string} value */
  aboutString(schema, value) {
    const { random } = this;
    const length = [...value].length;
    if (random.chance(0.3)) schema.minLength = Math.max(0, length - random.integer(0, 3));
    if (random.chance(0.3)) schema.maxLength = length + random.integer(0, 5);
    const [format] = FORMATTED.find(([, formatted]) => formatted === value) ?? [];
    if (format) schema.format = format;
    else if (random.chance(0.3)) schema.pattern = this.patternOf(value);
  }

  /** @param {string} value @returns {string} */
  patternOf(value) {
    const { random } = this;
    const escaped = (/** @type {string} */ text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    const parts = [...value].map((character) => {
      if (/[a-z]/.test(character))
        return random.pick(['[a-z]', '\\w', '[^0-9]', character, '(?:[a-f]|[g-z])', `[${character}x]`]);
      if (/[0-9]/.test(character)) return random.pick(['\\d', '[0-9]', '\\w', character]);
      if (character === ' ') return random.pick(['\\s', ' ', '[ -]']);
      return random.pick([escaped(character), '[^]']);
    });
    switch (random.integer(0, 5)) {
      case 0:
        return `^${parts.join('')}$`;
      case 1:
        return `^${parts.slice(0, 2).join('')}`;
      case 2:
        return `${parts.slice(-2).join('')}$`;
      case 3:
        return `^(${parts.join('') || 'x'}|other)?.{0,${[...value].length + 1}}`;
      case 4:
        return `^(?:[^]{${Math.floor([...value].length / 2)},})+?$|^$`;
      default:
        return parts.slice(0, 1).join('') || '^';
    }
  }

  /** @param {Record<string, any>} schema @param {number} value */
  aboutNumber(schema, value) {
    const { random } = this;
    if (random.chance(0.4)) schema.minimum = value - random.pick([0, 0.5, 1, 10, 1000]);
    else if (random.chance(0.2)) schema.exclusiveMinimum = value - random.pick([0.01, 1, 10]);
    if (random.chance(0.4)) schema.maximum = value + random.pick([0, 0.5, 1, 10, 1000]);
    else if (random.chance(0.2)) schema.exclusiveMaximum = value + random.pick([0.01, 1, 10]);
    if (random.chance(0.2)) {
      const steps = [0.01, 0.1, 0.25, 0.5, 1, 2, 3, 5].filter((step) => Number.isInteger(value / step));
      if (steps.length > 0) schema.multipleOf = random.pick(steps);
    }
  }

  /** @param {Record<string, any>} schema @param {any[]} value @param {number} depth */
  aboutArray(schema, value, depth) {
    const { random } = this;
    if (random.chance(0.3)) schema.minItems = Math.max(0, value.length - random.integer(0, 2));
    if (random.chance(0.3)) schema.maxItems = value.length + random.integer(0, 3);
    if (new Set(value.map((item) => JSON.stringify(item))).size === value.length && random.chance(0.3))
      schema.uniqueItems = true;
    if (random.chance(0.35)) {
      const tuple = value
        .slice(0, random.integer(0, value.length))
        .map((item) => this.around(item, depth + 1));
      const rest = value.slice(tuple.length);
      const closed = rest.length === 0 && random.chance(0.5) ? false : this.forAll(rest, depth);
      if (tuple.length === 0) schema.items = closed;
      else if (this.modern)
        Object.assign(schema, { prefixItems: tuple }, random.chance(0.6) ? { items: closed } : {});
      else Object.assign(schema, { items: tuple }, random.chance(0.6) ? { additionalItems: closed } : {});
    } else if (random.chance(0.6)) {
      schema.items = this.forAll(value, depth);
    }
    // Ajv counts all items as evaluated by `contains`, so the two don't meet here.
    if (this.modern && random.chance(0.1))
      schema.unevaluatedItems =
        schema.items === undefined && !schema.prefixItems
          ? true
          : value.length > (schema.prefixItems?.length ?? 0) && schema.items === undefined
            ? {}
            : false;
    else if (value.length > 0 && random.chance(0.25)) {
      schema.contains = this.around(random.pick(value), depth + 1);
      // Ajv may accept an empty list where something must be contained.
      schema.minItems = Math.max(1, schema.minItems ?? 0);
      if (this.modern && random.chance(0.3)) schema.minContains = random.integer(0, 1);
      if (this.modern && random.chance(0.3)) schema.maxContains = value.length;
    }
  }

  /** @param {any[]} items @param {number} depth @returns {Schema} */
  forAll(items, depth) {
    if (items.length === 0) return this.random.chance(0.5) ? {} : { type: 'string' };
    if (items.length === 1) return this.around(items[0], depth + 1);
    return { anyOf: items.map((item) => this.around(item, depth + 1)) };
  }

  /** @param {Record<string, any>} schema @param {Record<string, any>} value @param {number} depth */
  aboutObject(schema, value, depth) {
    const { random } = this;
    const names = Object.keys(value);
    const described = names.filter(() => random.chance(0.8));
    if (described.length > 0) {
      schema.properties = Object.fromEntries(
        described.map((name) => [name, this.around(value[name], depth + 1)]),
      );
    }
    for (const other of random.shuffle(NAMES).slice(0, random.integer(0, 2))) {
      if (Object.hasOwn(value, other) || !schema.properties) continue;
      schema.properties[other] = random.chance(0.15) ? false : this.around(randomValue(random, 3), depth + 2);
    }
    if (names.length > 0 && random.chance(0.7)) schema.required = names.filter(() => random.chance(0.6));
    const undescribed = names.filter((name) => !described.includes(name));
    if (undescribed.length === 0 && random.chance(0.4)) {
      schema[this.modern && random.chance(0.4) ? 'unevaluatedProperties' : 'additionalProperties'] = false;
    } else if (random.chance(0.2)) {
      schema.additionalProperties = this.forAll(
        undescribed.map((name) => value[name]),
        depth,
      );
    }
    const lettered = names.filter((name) => /^[a-z]+$/.test(name));
    if (lettered.length === names.length && random.chance(0.2))
      schema.propertyNames = { pattern: '^[a-z]*$', maxLength: 20 };
    if (lettered.length > 0 && random.chance(0.15)) {
      schema.patternProperties = {
        [`^${lettered[0]?.slice(0, 2)}`]: this.forAll(
          names.filter((name) => name.startsWith(lettered[0]?.slice(0, 2) ?? '')).map((name) => value[name]),
          depth,
        ),
      };
    }
    if (random.chance(0.15)) schema.minProperties = Math.max(0, names.length - random.integer(0, 1));
    if (random.chance(0.15)) schema.maxProperties = names.length + random.integer(0, 3);
    if (names.length > 1 && random.chance(0.15)) {
      const dependency = { [/** @type {string} */ (names[0])]: [names[1]] };
      schema[this.modern ? 'dependentRequired' : 'dependencies'] = dependency;
    } else if (names.length > 0 && random.chance(0.15)) {
      const dependency = { [random.pick([...names, 'absent'])]: this.around(value, depth + 3) };
      schema[this.modern ? 'dependentSchemas' : 'dependencies'] = dependency;
      // Ajv forgets what `properties` evaluated where a dependency does not apply.
      delete schema.unevaluatedProperties;
    }
  }

  /** Adds a keyword that combines schemas. @param {Record<string, any>} schema @param {any} value @param {number} depth */
  combine(schema, value, depth) {
    const { random } = this;
    const other = () => this.around(randomValue(random, 2), depth + 2);
    switch (random.pick(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'nullable'])) {
      case 'allOf':
        schema.allOf = [
          this.around(value, depth + 2),
          ...(random.chance(0.5) ? [this.around(value, depth + 2)] : []),
        ];
        break;
      case 'anyOf':
        schema.anyOf = random.shuffle([this.around(value, depth + 2), other(), other()]);
        break;
      case 'oneOf':
        schema.oneOf = random.shuffle([
          this.around(value, depth + 2),
          ...Array.from({ length: random.integer(1, 3) }, other),
        ]);
        break;
      case 'not':
        schema.not = other();
        break;
      case 'if':
        if (random.chance(0.5)) {
          conditional(schema, this.around(value, depth + 2), this.around(value, depth + 2), other());
        } else {
          conditional(schema, other(), other(), this.around(value, depth + 2));
        }
        break;
      default:
        if (schema.type !== undefined) schema.nullable = true;
    }
  }
}

/**
 * @param {any} value
 * @param {Random} random
 * @returns {any} a little different
 */
export function mutated(value, random) {
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.3)) return [...value, randomValue(random, 2)];
    const at = random.integer(0, value.length - 1);
    return random.chance(0.3)
      ? value.filter((_, index) => index !== at)
      : value.map((item, index) => (index === at ? mutated(item, random) : item));
  }
  if (isObject(value)) {
    const names = Object.keys(value);
    if (names.length === 0 || random.chance(0.3))
      return { ...value, [random.pick(NAMES)]: randomValue(random, 2) };
    const chosen = random.pick(names);
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => name !== chosen || random.chance(0.7))
        .map(([name, member]) => [name, name === chosen ? mutated(member, random) : member]),
    );
  }
  if (typeof value === 'string') return random.pick([`${value}x`, value.slice(1), value.toUpperCase(), 7]);
  if (typeof value === 'number') return random.pick([value + 1, value - 1, value / 2, -value, String(value)]);
  return randomValue(random, 2);
}
