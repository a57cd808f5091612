import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generateArguments } from '../../../../lib/schema/generate.js';
import { compileWithAjv } from './ajv.js';

/** @type {{about: string, schema: any, distinct?: number}[]} */
const cases = JSON.parse(readFileSync(new URL('fixtures/keywords.json', import.meta.url), 'utf8'));

/** @param {any} schema @param {{seed?: number, count?: number}} [options] @returns {any[]} */
function made(schema, options) {
  const result = generateArguments(schema, options);
  assert.ok('arguments' in result, `impossible: ${'impossible' in result && result.impossible}`);
  return result.arguments;
}

/** @param {any} schema @returns {string} */
function impossible(schema) {
  const result = generateArguments(schema, { count: 3 });
  assert.ok('impossible' in result, JSON.stringify(result));
  assert.match(result.impossible, /^[^\n\r]{5,400}$/);
  return result.impossible;
}

/** @param {any} schema @param {any} [more] of the object around it */
const property = (schema, more) => ({ type: 'object', properties: { x: schema }, required: ['x'], ...more });

for (const { about, schema, distinct = 1 } of cases) {
  test(about, () => {
    const isValid = compileWithAjv(schema);
    for (const seed of [1, 2, 3]) {
      const variants = made(schema, { seed, count: 25 });
      assert.ok(variants.length >= distinct, `${variants.length} variants: ${JSON.stringify(variants)}`);
      for (const variant of variants) assert.ok(isValid(variant), JSON.stringify(variant));
    }
  });
}

test('the first variant is the plainest', () => {
  assert.deepEqual(made({ type: 'object' }), [{}]);
  assert.deepEqual(made({ type: 'object', default: { a: 1 } }), [{ a: 1 }]);
  assert.deepEqual(made({ type: 'object', required: ['a'], default: {}, examples: [{ a: 2 }] }), [{ a: 2 }]);
  const schema = property(
    { type: 'string' },
    {
      properties: { x: { type: 'integer', default: 20 }, optional: { type: 'string', default: 'left out' } },
    },
  );
  assert.deepEqual(made(schema), [{ x: 20 }]);
  assert.deepEqual(made(property({ type: 'string', examples: ['one', 'two'] })), [{ x: 'one' }]);
  assert.deepEqual(made(property({ type: 'string', example: 'one' })), [{ x: 'one' }]);
  assert.deepEqual(made(property({ enum: [null, 'a', 'b'] })), [{ x: 'a' }]);
  assert.deepEqual(made(property({ enum: ['a', 'b'], default: 'b' })), [{ x: 'b' }]);
  assert.equal(typeof made(property({ anyOf: [{ type: 'null' }, { type: 'string' }] }))[0].x, 'string');
});

test('a default is preferred to other members of an enum', () => {
  const enumerated = property({ enum: ['a', 'b', 'c'], default: 'c', examples: ['b'] });
  assert.deepEqual(made(enumerated)[0], { x: 'c' });
});

test('values are ordinary: short words, small whole numbers, few items', () => {
  const schema = property(
    {},
    {
      properties: {
        text: { type: 'string' },
        number: { type: 'number' },
        list: { type: 'array', items: { type: 'string' } },
        any: {},
      },
      required: ['text', 'number', 'list', 'any'],
    },
  );
  for (const { text, number, list, any } of made(schema, { count: 50 })) {
    assert.match(text, /^[a-z]+( [a-z]+)*$/);
    assert.ok(text.length <= 40);
    assert.ok(Number.isInteger(number) && number >= 0 && number <= 1000, String(number));
    assert.ok(list.length >= 1 && list.length <= 3);
    assert.ok(JSON.stringify(any).length < 100);
  }
});

test('what only the server sets is not sent', () => {
  const schema = {
    type: 'object',
    properties: { id: { type: 'string', readOnly: true }, old: { deprecated: true }, a: {} },
  };
  for (const variant of made(schema, { count: 20 }))
    assert.deepEqual(
      Object.keys(variant).filter((name) => name !== 'a'),
      [],
    );
});

test('the same seed gives the same, another seed something else, more never changes those before', () => {
  const schema = property(
    { type: 'string' },
    { properties: { x: { type: 'string' }, y: { type: 'integer' }, z: { type: 'boolean' } } },
  );
  assert.deepEqual(
    made(schema, { seed: 5, count: 20 }),
    made(structuredClone(schema), { seed: 5, count: 20 }),
  );
  assert.notDeepEqual(made(schema, { seed: 5, count: 20 }), made(schema, { seed: 6, count: 20 }));
  assert.deepEqual(made(schema, { seed: 5, count: 20 }).slice(0, 7), made(schema, { seed: 5, count: 7 }));
  const firsts = new Set([1, 2, 3, 4, 5, 6, 7, 8].map((seed) => made(schema, { seed })[0].x));
  assert.ok(firsts.size > 3, [...firsts].join());
});

test('as many variants as are asked for, and never the same twice', () => {
  const free = made(property({ type: 'string' }), { count: 100 });
  assert.equal(free.length, 100);
  assert.equal(new Set(free.map(({ x }) => x)).size, 100);
  assert.equal(made(property({ type: 'boolean' }), { count: 100 }).length, 2);
});

test('the schema is not touched, and nothing of it is shared with the arguments', () => {
  const schema = property({ type: 'object', default: { deep: [1] } });
  const before = JSON.stringify(schema);
  const [first] = made(schema);
  first.x.deep.push(2);
  assert.equal(JSON.stringify(schema), before);
});

test('names that every object inherits are names like others', () => {
  const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
  const schema = JSON.parse(
    `{"type":"object","properties":{"__proto__":{"type":"integer"},"toString":{"const":"s"}},"required":${JSON.stringify(names)}}`,
  );
  const [first] = made(schema);
  assert.deepEqual(Object.keys(first).sort(), [...names].sort());
  assert.equal(first.toString, 's');
  assert.equal(Object.getPrototypeOf(first), Object.prototype);
});

test('recursion ends as soon as it may', () => {
  const node = {
    type: 'object',
    properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
    required: ['next'],
  };
  assert.deepEqual(made(node), [{ next: { next: null } }]);
  const tree = {
    type: 'object',
    properties: { kids: { type: 'array', items: { $ref: '#' } } },
    required: ['kids'],
  };
  for (const variant of made(tree, { count: 20 })) assert.ok(JSON.stringify(variant).length < 500);
});

test('an optional property that can not be made is left out', () => {
  const far = { $ref: 'https://example.com/far.json' };
  for (const variant of made(
    { type: 'object', properties: { far, a: { type: 'integer' } } },
    { count: 10 },
  )) {
    assert.ok(!('far' in variant));
  }
  assert.equal(typeof made(property({ anyOf: [far, { type: 'string' }] }))[0].x, 'string');
});

test('keywords that make no sense are left out', () => {
  const schema = {
    type: 'object',
    required: true,
    properties: null,
    allOf: {},
    anyOf: [],
    enum: 'x',
    minProperties: 'a',
    pattern: 7,
  };
  assert.deepEqual(made(schema), [{}]);
  assert.equal(
    typeof made(property({ type: 'string', minLength: -1, maxLength: 'many', format: 5 }))[0].x,
    'string',
  );
});

test('draft-04 writes whether a bound is exclusive as a boolean', () => {
  const schema = property({
    type: 'integer',
    minimum: 1,
    exclusiveMinimum: true,
    maximum: 3,
    exclusiveMaximum: true,
  });
  assert.deepEqual(made(schema, { count: 5 }), [{ x: 2 }]);
});

test('what is impossible says why, and where', () => {
  for (const [schema, why] of /** @type {[any, RegExp][]} */ ([
    [false, /false: it allows no value/],
    [null, /the schema is null, not an object/],
    ['text', /the schema is "text"/],
    [[], /the schema is a list/],
    [undefined, /undefined/],
    [{ type: 'array' }, /types that are asked for exclude each other/],
    [property(false), /the required property "x" is not allowed/],
    [
      property({ $ref: 'https://example.com/a.json#/b' }),
      /\$ref to "https:\/\/example.com\/a.json#\/b" is not local \(at "x"\)/,
    ],
    [property({ $ref: '#/$defs/none' }), /\$ref to "#\/\$defs\/none" leads to no schema/],
    [property({ $ref: '#nowhere' }), /leads to no schema/],
    [property({ type: 'string', pattern: '^(?=a)b$' }), /"\^\(\?=a\)b\$" uses a lookahead/],
    [
      property({ type: 'string', pattern: '(' }),
      /the pattern "\(" has a group that is not closed \(at "x"\)/,
    ],
    [property({ type: 'string', pattern: '^a$', maxLength: 0 }), /matches nothing of at most 0 characters/],
    [
      property({ type: 'string', pattern: '^a+$', enum: ['b'] }),
      /none of the values that enum or const allows/,
    ],
    [property({ type: 'any' }), /the type "any" is none of array, boolean/],
    [property({ type: 'string', minLength: 5, maxLength: 4 }), /at least 5 and at most 4 characters/],
    [property({ type: 'integer', minimum: 5, maximum: 4 }), /at least 5 and at most 4/],
    [property({ type: 'array', minItems: 2, maxItems: 1 }), /at least 2 and at most 1 items/],
    [
      property({ type: 'array', items: { type: 'boolean' }, uniqueItems: true, minItems: 3 }),
      /\(at "x\/2"\)/,
    ],
    [{ type: 'object', required: ['a', 'b'], maxProperties: 1 }, /2 properties are required, and 1 allowed/],
    [{ type: 'object', minProperties: 1, additionalProperties: false }, /1 properties are asked for/],
    [
      { type: 'object', required: ['a'], additionalProperties: false },
      /the required property "a" is not allowed/,
    ],
    [property({ not: {} }), /it allows no value/],
    [property({ $ref: '#' }), /nested deeper than 24 levels/],
  ])) {
    assert.match(impossible(schema), why);
  }
});

test('sizes beyond what is sensible are refused, with the limit', () => {
  for (const [schema, why] of /** @type {[any, RegExp][]} */ ([
    [property({ type: 'string', minLength: 1e9 }), /minLength is 1000000000, more than the 8192/],
    [property({ type: 'string', pattern: '^a{100000}$' }), /is 100000, more than the 8192/],
    [property({ type: 'array', minItems: 1e9 }), /1000000000 items is asked for, more than the 256/],
    [property({ type: 'array', contains: {}, minContains: 1e7 }), /more than the 256/],
    [{ type: 'object', minProperties: 1e6 }, /minProperties is 1000000, more than the 256/],
    [
      { type: 'object', required: Array.from({ length: 300 }, (_, n) => `p${n}`) },
      /more than 256 properties/,
    ],
    [property({ enum: Array.from({ length: 150_000 }, (_, n) => n) }), /more than 100000 parts/],
    [property({ const: 'x'.repeat(100_000) }), /longer than 65536 characters/],
  ])) {
    assert.match(impossible(schema), why);
  }
});

/** @param {number} levels @param {(schema: any) => any} wrap */
function nested(levels, wrap) {
  let schema = /** @type {any} */ ({ type: 'object' });
  for (let n = 0; n < levels; n += 1) schema = wrap(schema);
  return schema;
}

test('hostile schemas end, whatever they end with', { timeout: 60_000 }, () => {
  /** @type {Record<string, any>} */
  const chain = { last: { not: {} } };
  for (let n = 0; n < 25; n += 1) {
    const next = { $ref: `#/$defs/${n === 24 ? 'last' : `d${n + 1}`}` };
    chain[`d${n}`] = { anyOf: [next, { ...next }] };
  }
  const node = { $ref: '#/$defs/node' };
  const pair = { type: 'object', properties: { l: node, r: node }, required: ['l', 'r'] };
  for (const schema of [
    nested(5000, (inner) => property(inner)),
    nested(5000, (inner) => ({ not: inner })),
    nested(5000, (inner) => [inner]),
    nested(90, (inner) => ({ allOf: [inner, inner] })),
    { not: { $ref: '#' } },
    { anyOf: [{ $ref: '#' }] },
    { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    { $defs: chain, ...property({ $ref: '#/$defs/d0' }) },
    { $defs: { node: pair }, ...property(node) },
    { $defs: { node: { anyOf: [pair, { type: 'array', items: node, minItems: 2 }] } }, ...property(node) },
    property({
      type: 'string',
      pattern: '^(a*)*\\1(b*)*\\2$',
      not: { pattern: '^(a*)*\\1c' },
      minLength: 100,
    }),
    property({ type: 'string', pattern: '^(?:){1000000}(a?){100000}$' }),
    property({ type: 'string', pattern: '^(a|a)*b(?=c)$', minLength: 1000 }),
    {
      allOf: Array.from({ length: 20 }, (_, n) => ({
        anyOf: [{ required: [`a${n}`] }, { required: [`b${n}`] }],
      })),
      maxProperties: 3,
    },
  ]) {
    assert.notEqual(impossible(schema), '');
  }
  for (const schema of [
    property({ type: 'string', pattern: '^(a+)+$', minLength: 500 }),
    property({ type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', default: 'a'.repeat(5000) }),
    property({ type: 'string', pattern: '(((a{0,100}){0,100}){0,100}){0,100}' }),
    property({ type: 'string', format: 'email', default: `${'a.'.repeat(4000)}@` }),
    {
      allOf: Array.from({ length: 20 }, (_, n) => ({
        oneOf: [{ required: [`a${n}`] }, { required: [`b${n}`] }],
      })),
    },
    { type: 'object', properties: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`p${n}`, {}])) },
  ]) {
    assert.ok(made(schema, { count: 3 }).length > 0);
  }
});
