/** Arguments for the schemas of real servers, for a set of hard ones, and for hostile ones. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { z } from 'zod';
import { addArguments, makeArguments } from '../../../../cli/discovery/arguments.ts';

/** @param {string} name @returns {any[]} */
const fixture = (name) => JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'));

/** @param {any[]} schemas @param {{seed?: number, count?: number, limitMs?: number}} [how] by default more time than a busy machine needs */
const made = (schemas, { seed = 1, count = 8, limitMs = 60_000 } = {}) =>
  makeArguments(
    schemas.map((schema) => ({ schema, seed, count })),
    limitMs,
  );

/** @param {any} schema @returns {(value: unknown) => boolean} */
function validatorOf(schema) {
  const By = /draft-07/.test(schema.$schema) ? Ajv : Ajv2020;
  const ajv = new By({ strict: false, logger: false, validateSchema: false });
  formats.default(ajv);
  return ajv.compile(schema);
}

/** @param {any} schema @param {import('../../../../cli/discovery/argument-maker.ts').Made | undefined} one */
function assertValid(schema, one) {
  if (!one || !('arguments' in one)) return 0;
  assert.ok(one.arguments.length > 0);
  assert.equal(new Set(one.arguments.map((args) => JSON.stringify(args))).size, one.arguments.length);
  const isValid = validatorOf(schema);
  for (const args of one.arguments) assert.ok(isValid(args), JSON.stringify([schema, args]));
  return 1;
}

/** @param {Awaited<ReturnType<typeof makeArguments>>[number] | undefined} one */
const reasonOf = (one) => (one && 'impossible' in one ? one.impossible : '');

test('all recorded schemas of real servers, and four in five of a set of hard ones', async () => {
  for (const [name, share] of /** @type {const} */ ([
    ['tools', 1],
    ['keywords', 0.8],
  ])) {
    const schemas = fixture(name).map(({ schema }) => schema);
    const all = await made(schemas);
    const found = schemas.reduce((sum, schema, index) => sum + assertValid(schema, all[index]), 0);
    assert.ok(found >= share * schemas.length, `${name}: ${found} of ${schemas.length}`);
  }
});

test('the first has what is required and no more; a default or an example is taken before anything else', async () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string', examples: ['Oslo'] },
      unit: { enum: ['C', 'F'], default: 'F' },
      note: { type: 'string' },
    },
    required: ['city', 'unit'],
  };
  const [one] = await made([schema]);
  assert.ok(one && 'arguments' in one);
  assert.deepEqual(one.arguments[0], { city: 'Oslo', unit: 'F' });
  assert.ok(one.arguments.some(({ note }) => note !== undefined));
});

test('the same seed makes the same, more or fewer of them; another seed does not', async () => {
  const schemas = fixture('tools').map(({ schema }) => schema);
  const all = await made(schemas);
  assert.deepEqual(await made(schemas), all);
  assert.notDeepEqual(await made(schemas, { seed: 2 }), all);
  for (const [index, one] of (await made(schemas, { count: 3 })).entries()) {
    const more = all[index];
    assert.ok('arguments' in one && more && 'arguments' in more);
    assert.deepEqual(one.arguments, more.arguments.slice(0, one.arguments.length));
  }
});

test('formats and patterns as zod writes them: zod itself is the server that would refuse them', async () => {
  const shapes = {
    email: z.email(),
    uuid: z.uuid(),
    datetime: z.iso.datetime(),
    date: z.iso.date(),
    ipv4: z.ipv4(),
    slug: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
    percent: z.number().min(0).max(100).multipleOf(0.5),
    integer: z.int(),
    tuple: z.tuple([z.string(), z.number()]),
    union: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), a: z.string() }),
      z.object({ kind: z.literal('b'), b: z.number().nullable() }),
    ]),
    both: z.intersection(z.object({ x: z.string() }), z.object({ y: z.number() })),
    get tree() {
      return z.object({ name: z.string(), children: z.array(z.lazy(() => shapes.slug)) });
    },
  };
  const objects = Object.entries(shapes).map(
    ([name, shape]) => /** @type {const} */ ([name, z.object({ value: shape })]),
  );
  const all = await made(objects.map(([, object]) => z.toJSONSchema(object)));
  for (const [index, [name, object]] of objects.entries()) {
    const one = all[index];
    assert.ok(one && 'arguments' in one, `${name}: ${reasonOf(one)}`);
    for (const args of one.arguments)
      assert.ok(object.safeParse(args).success, `${name}: ${JSON.stringify(args)}`);
  }
});

/** @param {any} x a member's schema */
const of = (x) => ({ type: 'object', properties: { x }, required: ['x'] });
const plain = of({ type: 'integer' });

const MANY = Array.from({ length: 10_000 }, (_, index) => `p${index}`);

test('hostile schemas: each is given up by itself, and the others have their arguments', async () => {
  /** @type {Record<string, any>} */
  const hostile = {
    'a pattern that backtracks without end': of({
      allOf: [{ const: `${'a'.repeat(40)}!` }, { pattern: '^(a+)+$' }],
    }),
    'a length that no memory holds': of({ type: 'string', minLength: 2 ** 53 }),
    'a number of items that no memory holds': of({
      type: 'array',
      minItems: 2 ** 53,
      items: { const: 'x'.repeat(100_000) },
    }),
    'a reference to itself that has no end': {
      type: 'object',
      properties: { x: { $ref: '#' } },
      required: ['x'],
    },
    'nothing that satisfies it': of(false),
    'members of any type': { type: 'object', properties: 7, required: 'x' },
    'ten thousand members that are all required': {
      type: 'object',
      properties: Object.fromEntries(MANY.map((name) => [name, { type: 'string' }])),
      required: MANY,
    },
    'a pattern that is none': of({ type: 'string', pattern: '(' }),
  };
  const schemas = Object.values(hostile).flatMap((schema) => [schema, plain]);
  const all = await made(schemas);
  for (const [index, about] of Object.keys(hostile).entries()) {
    assert.notEqual(reasonOf(all[2 * index]), '', about);
    assert.equal(assertValid(plain, all[2 * index + 1]), 1, `after ${about}`);
  }
});

test('what takes all the time is ended, and what comes after it says so', async () => {
  const slow = of({ allOf: [{ const: `${'a'.repeat(40)}!` }, { pattern: '^(a+)+$' }] });
  const all = await made([slow, slow], { limitMs: 1000 });
  assert.match(reasonOf(all[0]), /too much memory or time/);
  assert.match(reasonOf(all[1]), /not tried: earlier operations used up the time limit of 1 s/);
});

test('what is not a schema of an object is told as that', async () => {
  const all = await made([undefined, null, [], 'x', 7, true]);
  for (const one of all) assert.equal(reasonOf(one), 'its inputSchema is not an object');
});

test('a reference to elsewhere is refused, and nobody is asked', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end('{}');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const [one] = await made([of({ $ref: `http://127.0.0.1:${port}/schema.json` })]);
  server.close();
  assert.match(reasonOf(one), /can't resolve reference/);
  assert.equal(asked, 0);
});

test('an operation without arguments is left out with the line that has it called; what the server completed stays', async () => {
  const operation = { class: /** @type {const} */ ('read'), method: 'tools/call', params: { name: 'never' } };
  /** @type {import('../../../../lib/choose.js').Choice} */
  const choice = {
    operations: { never: operation, asked: { ...operation, method: 'prompts/get' } },
    wanted: {
      never: { schema: of(false), count: 8 },
      asked: {
        schema: {
          properties: { city: { type: 'string' }, note: { type: 'string' } },
          required: ['city', 'note'],
        },
        count: 4,
        known: [{ city: 'Oslo' }, { city: 'Lima' }],
      },
    },
    leftOut: [],
  };
  await addArguments(choice, 1);
  assert.deepEqual(Object.keys(choice.operations), ['asked']);
  const cities = choice.operations.asked?.arguments?.map(({ city }) => city);
  assert.deepEqual(new Set(cities), new Set(['Oslo', 'Lima']));
  const [left] = choice.leftOut;
  assert.equal(left?.operation, 'never');
  assert.match(left?.reason ?? '', /^no valid arguments: /);
  assert.deepEqual(JSON.parse(`{${left?.add}}`), { never: { ...operation, arguments: [{ x: '?' }] } });
});
