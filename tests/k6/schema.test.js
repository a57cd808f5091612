/** The generator of arguments runs in two engines, goja and V8, whose regular expressions and numbers are not one. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateArguments } from '../../lib/schema/generate.js';
import { passes } from './passes.js';

const FIXTURES = new URL('../unit/lib/schema/fixtures/', import.meta.url);

/** Ends that must be the same, too. */
const HOSTILE = [
  { type: 'string', pattern: '^(a*)*\\1(b*)*\\2$', not: { pattern: '^(a*)*\\1c' }, minLength: 100 },
  { type: 'string', pattern: '^(a+)+$', minLength: 500 },
  { type: 'string', pattern: '^(?=a)b$' },
  { type: 'string', pattern: '^[\\u{1F600}-\\u{1F60F}]{2}é$' },
  { $ref: '#' },
  { not: { $ref: '#/properties/x' } },
].map((schema) => ({
  about: JSON.stringify(schema),
  schema: { type: 'object', properties: { x: schema }, required: ['x'] },
}));

test('k6 and Node make the same arguments', async () => {
  const fixtures = await Promise.all(
    ['keywords.json', 'tools.json'].map(async (name) =>
      JSON.parse(await readFile(new URL(name, FIXTURES), 'utf8')),
    ),
  );
  const cases = [...fixtures.flat(), ...HOSTILE].flatMap(({ about, tool, schema }) =>
    [1, 42].map((seed) => {
      const options = { seed, count: 5 };
      const expected = JSON.stringify(generateArguments(schema, options));
      return { about: about ?? tool, schema, options, expected };
    }),
  );
  assert.ok(cases.length > 250);
  const folder = await mkdtemp(join(tmpdir(), 'schema-'));
  try {
    const file = join(folder, 'cases.json');
    await writeFile(file, JSON.stringify(cases));
    await passes('schema.js', { CASES: file });
  } finally {
    await rm(folder, { recursive: true });
  }
});
