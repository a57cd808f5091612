/** Which argument takes long text, by the schema alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeArguments } from '../../../../cli/discovery/arguments.ts';

const TEXT = { type: 'string' };
/** @param {Record<string, unknown>} properties @param {string[]} [required] */
const of = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });

/** @type {[name: string, schema: any, pointer: string | undefined][]} */
const CASES = [
  ['a text', of({ message: TEXT }), '/message'],
  ['numbers alone', of({ a: { type: 'number' }, b: { type: 'integer' } }), undefined],
  ['none at all', { type: 'object' }, undefined],
  ['an optional text', of({ id: { type: 'integer' }, note: TEXT }, ['id']), '/note'],
  ['a text or null', of({ note: { anyOf: [TEXT, { type: 'null' }], default: null } }), '/note'],
  ['a length that is enough', of({ text: { ...TEXT, maxLength: 32 * 1024 } }), '/text'],
  ['a length that is too small', of({ text: { ...TEXT, maxLength: 32 * 1024 - 1 } }), undefined],
  ['one of a few', of({ text: { enum: ['a', 'b'] } }), undefined],
  ['a constant', of({ text: { const: 'a' } }), undefined],
  ['a format', of({ at: { ...TEXT, format: 'date' } }), undefined],
  ['a pattern that forbids it', of({ text: { ...TEXT, pattern: '^[a-z]{3,9}$' } }), undefined],
  ['a pattern that allows it', of({ text: { ...TEXT, pattern: '^[a-z]+$' } }), '/text'],
  ['the second one', of({ id: { ...TEXT, maxLength: 9 }, text: TEXT }), '/text'],
  ['a nested object', of({ options: of({ 'a/b': TEXT }) }), '/options/a~1b'],
  ['a list', of({ texts: { type: 'array', items: TEXT, minItems: 1 } }), '/texts/0'],
  [
    'a reference',
    { ...of({ note: { $ref: '#/$defs/note' } }), $defs: { note: of({ text: TEXT }) } },
    '/note/text',
  ],
];

test('an argument takes long text if the schema says so of the arguments with it', async () => {
  const all = await makeArguments(
    CASES.map(([, schema]) => ({ schema, count: 2, seed: 1 })),
    60_000,
  );
  const found = all.map((made, index) => [CASES[index]?.[0], 'arguments' in made ? made.long_text : made]);
  assert.deepEqual(
    found,
    CASES.map(([name, , pointer]) => [name, pointer]),
  );
});

test('a pattern that takes for ever on long text costs no arguments', async () => {
  const slow = of({ text: { type: 'string', pattern: '^(x+x+)+y?$', examples: ['xx'] }, other: TEXT });
  const schema = of({ text: { type: 'string', pattern: '^(x|xx)+y$', examples: ['xy'] } });
  for (const made of await makeArguments(
    [slow, schema].map((one) => ({ schema: one, count: 1, seed: 1 })),
    60_000,
  ))
    assert.ok('arguments' in made, JSON.stringify(made));
});
