import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { inputParams } from '../../../../lib/mcp/input-required.js';

const ajv = formats.default(new Ajv({ strict: false }));

/** @param {Record<string, unknown>} properties @param {object} [params] */
const form = (properties, params) => ({
  method: 'elicitation/create',
  params: { message: 'please', requestedSchema: { type: 'object', properties }, ...params },
});

/** @param {Record<string, unknown>} inputRequests @param {object} [more] */
const asked = (inputRequests, more) => inputParams({ resultType: 'input_required', inputRequests, ...more });

test('a form is filled in as its schema allows, defaults first', () => {
  const properties = {
    name: { type: 'string', default: 'Ann' },
    no: { type: 'boolean', default: false },
    yes: { type: 'boolean' },
    text: { type: 'string', minLength: 10, maxLength: 12 },
    short: { type: 'string', maxLength: 2 },
    email: { type: 'string', format: 'email' },
    uri: { type: 'string', format: 'uri' },
    date: { type: 'string', format: 'date' },
    time: { type: 'string', format: 'date-time' },
    age: { type: 'integer', minimum: 17.5, maximum: 99 },
    cold: { type: 'number', maximum: -3 },
    narrow: { type: 'number', minimum: 0.2, maximum: 0.7 },
    plain: { type: 'number' },
    colour: { type: 'string', enum: ['red', 'green'] },
    titled: { type: 'string', oneOf: [{ const: '#f00', title: 'Red' }] },
    several: { type: 'array', minItems: 2, items: { type: 'string', enum: ['a', 'b', 'c'] } },
    titles: { type: 'array', minItems: 1, items: { anyOf: [{ const: 'x', title: 'X' }] } },
    none: { type: 'array', items: { type: 'string', enum: ['a'] } },
  };
  const params = /** @type {any} */ (asked({ form: form(properties) }));
  const { action, content } = params.inputResponses.form;
  assert.equal(action, 'accept');
  assert.deepEqual(Object.keys(content), Object.keys(properties));
  /** @type {(content: any) => boolean} */
  const valid = ajv.compile({ type: 'object', properties });
  assert.ok(valid(content), JSON.stringify(content));
  assert.equal(content.name, 'Ann');
  assert.equal(content.no, false);
  assert.equal(content.yes, true);
});

test('the state goes back as it came, and only where there is one', () => {
  const state = '{"b":1, "a":2}';
  assert.deepEqual(inputParams({ requestState: state }), { requestState: state });
  assert.deepEqual(asked({ r: { method: 'roots/list' } }), { inputResponses: { r: { roots: [] } } });
  assert.deepEqual(asked({}, { requestState: state }), { inputResponses: {}, requestState: state });
});

test('what takes a model or a person is not answered', () => {
  assert.equal(asked({ m: { method: 'sampling/createMessage', params: {} } }), null);
  assert.equal(asked({ u: form({}, { mode: 'url' }) }), null);
  assert.equal(asked({ ok: form({}), bad: { method: 'what/ever' } }), null);
  for (const odd of [{}, { inputRequests: null }, { inputRequests: 'x' }, { inputRequests: { a: null } }]) {
    assert.equal(inputParams(odd), null);
  }
});
