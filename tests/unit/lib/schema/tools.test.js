/** Schemas of real servers' tools, and what zod, which half of all servers use, makes of theirs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { generateArguments } from '../../../../lib/schema/generate.js';
import { compileWithAjv } from './ajv.js';

/** @type {{source: string, tool: string, schema: any}[]} */
const tools = JSON.parse(readFileSync(new URL('fixtures/tools.json', import.meta.url), 'utf8'));

/** @param {string} name @param {any} schema @returns {any[]} */
function validVariants(name, schema) {
  const isValid = compileWithAjv(schema);
  /** @type {any[]} */
  const all = [];
  for (const seed of [1, 2, 3]) {
    const made = generateArguments(schema, { seed, count: 15 });
    assert.ok('arguments' in made, `${name}: ${'impossible' in made && made.impossible}`);
    for (const variant of made.arguments) assert.ok(isValid(variant), `${name}: ${JSON.stringify(variant)}`);
    all.push(...made.arguments);
  }
  return all;
}

for (const source of new Set(tools.map((tool) => tool.source))) {
  test(source, () => {
    for (const { tool, schema } of tools.filter((other) => other.source === source)) {
      const all = validVariants(tool, schema);
      const longest = Math.max(...all.map((variant) => JSON.stringify(variant).length));
      assert.ok(longest < 2000, `${tool}: ${longest} characters`);
      const [first] = all;
      const required = new Set(schema.required);
      for (const name of Object.keys(first))
        assert.ok(required.has(name), `${tool}: ${name} is optional, and there`);
    }
  });
}

test('formats and patterns as zod writes them', () => {
  const shapes = {
    email: z.email(),
    uuid: z.uuid(),
    url: z.url(),
    datetime: z.iso.datetime(),
    precise: z.iso.datetime({ precision: 3 }),
    offset: z.iso.datetime({ offset: true }),
    date: z.iso.date(),
    duration: z.iso.duration(),
    ipv4: z.ipv4(),
    ipv6: z.ipv6(),
    cidr: z.cidrv4(),
    base64: z.base64(),
    nanoid: z.nanoid(),
    ulid: z.ulid(),
    e164: z.e164(),
    slug: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
    prefixed: z.string().startsWith('sk_').endsWith('_x').includes('live').max(30),
    lower: z.string().lowercase().min(3),
    integer: z.int(),
    percent: z.number().min(0).max(100).multipleOf(0.5),
    record: z.record(z.string().regex(/^[a-z]{2}$/), z.number()),
    tuple: z.tuple([z.string(), z.number()]).rest(z.boolean()),
    union: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), a: z.string() }),
      z.object({ kind: z.literal('b'), b: z.number().nullable() }),
    ]),
    both: z.intersection(z.object({ x: z.string() }), z.object({ y: z.number() })),
  };
  for (const [name, shape] of Object.entries(shapes)) {
    const object = z.object({ value: shape });
    for (const target of /** @type {const} */ (['draft-2020-12', 'draft-7'])) {
      const variants = validVariants(name, z.toJSONSchema(object, { target }));
      // Zod itself is the server that would refuse them.
      for (const variant of variants)
        assert.ok(object.safeParse(variant).success, `${name}: ${JSON.stringify(variant)}`);
    }
  }
});

test('a time as zod writes it: its pattern forbids the offset that the format asks for', () => {
  const object = z.object({ at: z.iso.time() });
  const made = generateArguments(z.toJSONSchema(object), { seed: 1, count: 5 });
  assert.ok('arguments' in made);
  for (const variant of made.arguments) assert.ok(object.safeParse(variant).success, JSON.stringify(variant));
});

test('a recursive object of zod ends soon', () => {
  const Category = z.object({
    name: z.string(),
    get children() {
      return z.array(Category);
    },
  });
  for (const variant of validVariants('category', z.toJSONSchema(Category))) {
    assert.ok(JSON.stringify(variant).length < 1000);
  }
});
