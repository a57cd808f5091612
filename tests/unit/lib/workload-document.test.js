import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ConfigError } from '../../../contract/config-error.js';
import { checkDocument } from '../../../lib/workload-document.js';

const validate = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync('lib/workload-document.schema.json', 'utf8')),
);

const right = () => ({
  schema: 'mcp-load-lab/workload/1',
  name: 'mine',
  dialect: 'mcp',
  connection: { era: 'legacy', version: '2025-11-25', server: { name: 'x', version: '1' } },
  operations: {
    echo: {
      class: 'read',
      method: 'tools/call',
      params: { name: 'echo' },
      arguments: [{ message: 'hi', region: 'eu' }],
      headers: { Region: '/region' },
      request_headers: { 'X-User': 'one' },
      expect_status: [200, 404],
    },
    'tools/list': { class: 'protocol', method: 'tools/list', params: {} },
  },
  mixes: { default: { echo: 3, 'tools/list': 1 } },
  left_out: [{ operation: 'x', reason: 'y' }],
});

test('a right document is right, by the check and by the schema', () => {
  assert.equal(validate(right()), true, JSON.stringify(validate.errors));
  assert.equal(checkDocument(right()).name, 'mine');
});

/** @type {[string, (document: any) => unknown, RegExp][]} what is wrong, the change, the message */
const WRONG = [
  ['no object', () => [], /the document is not an object/],
  ['another schema', (d) => ({ ...d, schema: 'x' }), /^schema is not one of mcp-load-lab\/workload\/1$/],
  ['no name', (d) => ({ ...d, name: undefined }), /^name is not a text$/],
  ['an unknown dialect', (d) => ({ ...d, dialect: 'soap' }), /^dialect is not one of mcp, jsonrpc, rest$/],
  ['an unknown member', (d) => ({ ...d, mix: {} }), /unknown member "mix"; valid: schema, name/],
  ['no operations', (d) => ({ ...d, operations: {} }), /^operations is not an object with at least one/],
  ['a class', (d) => change(d, { class: 'raed' }), /^operations.echo.class is not one of read, write/],
  ['a method', (d) => change(d, { method: 7 }), /^operations.echo.method is not a text$/],
  ['params', (d) => change(d, { params: [] }), /^operations.echo.params is not an object$/],
  [
    'arguments',
    (d) => change(d, { arguments: { message: 'hi' } }),
    /^operations.echo.arguments is not an array/,
  ],
  [
    'no arguments',
    (d) => change(d, { arguments: [] }),
    /^operations.echo.arguments is not an array of at least/,
  ],
  [
    'headers',
    (d) => change(d, { headers: { Region: 'region' } }),
    /^operations.echo.headers is not .* JSON pointers/,
  ],
  [
    'a header of a request',
    (d) => change(d, { request_headers: { 'X-User': 1 } }),
    /^operations.echo.request_headers is not an object of header names and values/,
  ],
  [
    'statuses',
    (d) => change(d, { expect_status: [200, 'x'] }),
    /^operations.echo.expect_status is not an array of/,
  ],
  [
    'a typing error in an operation',
    (d) => change(d, { argument: [] }),
    /unknown member "argument"; valid: class/,
  ],
  [
    'a name that no selector can hold',
    (d) => ({ ...d, operations: { ...d.operations, 'a:b': d.operations.echo } }),
    /the name of operations.a:b is not 1 to 100 characters without/,
  ],
  ['no mixes', (d) => ({ ...d, mixes: undefined }), /^mixes is not an object with a mix "default"$/],
  [
    'no default mix',
    (d) => ({ ...d, mixes: { other: { echo: 1 } } }),
    /^mixes is not an object with a mix "default"$/,
  ],
  [
    'an empty mix',
    (d) => ({ ...d, mixes: { default: {} } }),
    /^mixes.default is not an object of operations/,
  ],
  [
    'a weight',
    (d) => ({ ...d, mixes: { default: { echo: 0 } } }),
    /^mixes.default.echo is not a number above 0 \(and up to 1e9\)$/,
  ],
  ['left_out', (d) => ({ ...d, left_out: {} }), /^left_out is not an array of objects/],
  [
    'what is left out',
    (d) => ({ ...d, left_out: [{ operation: 'x' }] }),
    /^left_out is not an array of objects/,
  ],
  ['$schema', (d) => ({ ...d, $schema: null }), /^\$schema is not a text$/],
  ['a long name', (d) => ({ ...d, name: 'x'.repeat(201) }), /^name is not a text of up to 200 characters$/],
  ['an era', (d) => ({ ...d, connection: { era: 'old' } }), /^connection.era is not one of modern, legacy$/],
  ['a version', (d) => ({ ...d, connection: { version: 1 } }), /^connection.version is not a text$/],
  ['a server', (d) => ({ ...d, connection: { server: {} } }), /^connection.server is not an object with/],
  ['subscribe', (d) => ({ ...d, connection: { subscribe: 1 } }), /^connection.subscribe is not true$/],
  [
    'a header that no request can carry',
    (d) => change(d, { request_headers: { 'X-User': 'one\ntwo' } }),
    /^operations.echo.request_headers is not an object of header names/,
  ],
  [
    'a header of a parameter that no request can carry',
    (d) => change(d, { headers: { 'a b': '/a' } }),
    /^operations.echo.headers is not an object of JSON pointers/,
  ],
  [
    'a pointer that is no text, nor to be made one',
    (d) => change(d, { headers: { Region: { toString: 1 } } }),
    /^operations.echo.headers is not an object of JSON pointers/,
  ],
  [
    'weights without end',
    (d) => ({ ...d, mixes: { default: { echo: 1e308, 'tools/list': 1e308 } } }),
    /^mixes.default.echo is not a number above 0 \(and up to 1e9\)$/,
  ],
];

/** @param {any} document @param {object} members of the operation echo */
const change = (document, members) => ({
  ...document,
  operations: { ...document.operations, echo: { ...document.operations.echo, ...members } },
});

for (const [name, make, message] of WRONG) {
  test(`refused, by the check and by the schema: ${name}`, () => {
    const document = make(right());
    assert.equal(validate(JSON.parse(JSON.stringify(document))), false);
    assert.throws(
      () => checkDocument(document),
      (error) => error instanceof ConfigError && message.test(error.message) && !error.message.includes('\n'),
    );
  });
}

test('what a schema can not say: a mix of unknown operations, arguments in two places', () => {
  const document = { ...right(), mixes: { default: { eco: 1 } } };
  assert.throws(() => checkDocument(document), /^.*mixes.default names "eco".*valid: echo, tools\/list$/);
  const twice = change(right(), { params: { name: 'echo', arguments: {} } });
  assert.throws(() => checkDocument(twice), /arguments and params.arguments; valid: one of the two/);
});
