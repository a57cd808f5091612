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
  ['the same name twice', schema({ a: region, b: region }), /"Region" is there twice/],
  ['twice but for case', schema({ a: region, b: { ...region, 'x-mcp-header': 'REGION' } }), /there twice/],
  ['the root', { 'x-mcp-header': 'A', type: 'string' }, /the schema: .*only `properties` lead to/],
  ['items', schema({ a: { type: 'array', items: region } }), /only `properties` lead to/],
  ['a list of items', schema({ a: { type: 'array', items: [region] } }), /only `properties` lead to/],
  ['oneOf', schema({ a: { oneOf: [region] } }), /only `properties` lead to/],
  ['below allOf', schema({}, { allOf: [schema({ region })] }), /only `properties` lead to/],
  ['$defs', schema({}, { $defs: { region } }), /only `properties` lead to/],
  ['patternProperties', schema({}, { patternProperties: { '^a': region } }), /only `properties` lead to/],
  ['if', schema({}, { if: schema({ region }) }), /only `properties` lead to/],
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
