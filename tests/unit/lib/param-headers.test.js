import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paramHeaders } from '../../../lib/param-headers.js';

const region = { type: 'string', 'x-mcp-header': 'Region' };

/** @param {Record<string, unknown>} properties @param {object} [more] */
const schema = (properties, more) => ({ type: 'object', properties, ...more });

test('annotated properties are found at any depth of `properties`, by pointer', () => {
  const nested = schema({ region, n: schema({ 'a/b~c': { type: 'integer', 'x-mcp-header': 'Count' } }) });
  assert.deepEqual(paramHeaders(nested), { headers: { Region: '/region', Count: '/n/a~1b~0c' } });
  assert.deepEqual(paramHeaders(schema({ plain: { type: 'string' } })), { headers: {} });
  for (const odd of [undefined, null, true, 'x', [], {}])
    assert.deepEqual(paramHeaders(odd), { headers: {} });
});

test('a property that is called x-mcp-header, and data that looks like an annotation, are none', () => {
  const lookalike = schema(
    { 'x-mcp-header': { type: 'string' }, a: { type: 'string', default: { 'x-mcp-header': '' } } },
    { examples: [{ 'x-mcp-header': 'Not-One' }] },
  );
  assert.deepEqual(paramHeaders(lookalike), { headers: {} });
});

/** @type {[string, object, RegExp][]} */
const INVALID = [
  ['an empty name', schema({ a: { type: 'string', 'x-mcp-header': '' } }), /^\/a: .*header name/],
  ['a space', schema({ a: { type: 'string', 'x-mcp-header': 'My Region' } }), /header name/],
  ['a colon', schema({ a: { type: 'string', 'x-mcp-header': 'Region:Primary' } }), /header name/],
  ['a letter outside ASCII', schema({ a: { type: 'string', 'x-mcp-header': 'Région' } }), /header name/],
  ['a line break', schema({ a: { type: 'string', 'x-mcp-header': 'A\r\nB: c' } }), /header name/],
  ['a name that is no text', schema({ a: { type: 'string', 'x-mcp-header': 7 } }), /header name/],
  ['an object', schema({ a: { type: 'object', 'x-mcp-header': 'A' } }), /type other than/],
  ['an array', schema({ a: { type: 'array', 'x-mcp-header': 'A' } }), /type other than/],
  ['null', schema({ a: { type: 'null', 'x-mcp-header': 'A' } }), /type other than/],
  ['a number', schema({ a: { type: 'number', 'x-mcp-header': 'A' } }), /type other than/],
  ['no type', schema({ a: { 'x-mcp-header': 'A' } }), /type other than/],
  ['the same name twice', schema({ a: region, b: region }), /"Region" is used twice/],
  ['twice but for case', schema({ a: region, b: { ...region, 'x-mcp-header': 'REGION' } }), /used twice/],
  [
    'the root',
    { 'x-mcp-header': 'A', type: 'string' },
    /the schema: .*a property reachable through `properties`/,
  ],
  ['items', schema({ a: { type: 'array', items: region } }), /a property reachable through `properties`/],
  [
    'a list of items',
    schema({ a: { type: 'array', items: [region] } }),
    /a property reachable through `properties`/,
  ],
  ['oneOf', schema({ a: { oneOf: [region] } }), /a property reachable through `properties`/],
  ['below allOf', schema({}, { allOf: [schema({ region })] }), /a property reachable through `properties`/],
  ['$defs', schema({}, { $defs: { region } }), /a property reachable through `properties`/],
  [
    'patternProperties',
    schema({}, { patternProperties: { '^a': region } }),
    /a property reachable through `properties`/,
  ],
  ['if', schema({}, { if: schema({ region }) }), /a property reachable through `properties`/],
];

for (const [name, bad, reason] of INVALID) {
  test(`a tool with x-mcp-header on or with ${name} is left out, with the reason`, () => {
    const found = paramHeaders(bad);
    assert.match('invalid' in found ? found.invalid : 'taken as valid', reason);
  });
}

test('a schema nested a hundred thousand deep is read', () => {
  /** @type {object} */
  let deep = schema({ region });
  for (let depth = 0; depth < 100_000; depth += 1) deep = { not: deep, type: 'object', properties: {} };
  assert.ok('invalid' in paramHeaders(deep));
});

/** @param {number} depth @param {object} inner @param {string} [key] */
function chain(depth, inner, key = 'a') {
  let schema = inner;
  for (let count = 0; count < depth; count += 1) schema = { type: 'object', properties: { [key]: schema } };
  return schema;
}

test('a deep chain of `properties` is read in linear time, whatever its names', { timeout: 20_000 }, () => {
  const started = Date.now();
  assert.deepEqual(paramHeaders(chain(20_000, {}, '/'.repeat(2000))), { headers: {} });
  assert.ok(Date.now() - started < 2000, `${Date.now() - started} ms`);
});

test('annotations are bounded in depth, length and number', () => {
  const key = 'k'.repeat(300);
  assert.deepEqual(paramHeaders(chain(32, region)), { headers: { Region: '/a'.repeat(32) } });
  const many = (/** @type {number} */ count) =>
    schema(
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [n, { ...region, 'x-mcp-header': `H${n}` }]),
      ),
    );
  assert.equal(Object.keys(/** @type {any} */ (paramHeaders(many(50))).headers).length, 50);
  for (const [bad, reason] of /** @type {[object, RegExp][]} */ ([
    [chain(33, region), /deeper than 32 properties/],
    [chain(20_000, region), /deeper than 32 properties/],
    [chain(4, region, key), /^.{100}: x-mcp-header is at a pointer of more than 1000 characters/],
    [chain(1, region, key.repeat(1000)), /^.{100}: x-mcp-header is at a pointer of more than 1000/],
    [many(51), /more than 50 times/],
  ])) {
    const found = paramHeaders(bad);
    assert.match('invalid' in found ? found.invalid : 'taken as valid', reason);
  }
});
