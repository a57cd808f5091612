/**
 * Random schemas, each made around a value that satisfies it: arguments must be found for them, Ajv must accept all
 * that is found, and our own validator must agree with Ajv on every value.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateArguments } from '../../../../lib/schema/generate.js';
import { Budget } from '../../../../lib/schema/limits.js';
import { Random } from '../../../../lib/schema/random.js';
import { References } from '../../../../lib/schema/references.js';
import { Validator } from '../../../../lib/schema/validate.js';
import { compileWithAjv, DRAFT_07 } from './ajv.js';
import { mutated, randomObject, SchemaMaker } from './random-schema.js';

const SCHEMAS = 1000;
const SEED = 99;

for (const dialect of /** @type {const} */ (['2020-12', 'draft-07'])) {
  test(`${SCHEMAS} random schemas of ${dialect}`, (t) => {
    let satisfiable = 0;
    let impossible = 0;
    let variants = 0;
    let verdicts = 0;
    let refused = 0;
    for (let n = 0; n < SCHEMAS; n += 1) {
      const random = new Random(SEED, n);
      const witness = randomObject(random);
      const made = new SchemaMaker(random, dialect).document(witness);
      const schema = JSON.parse(
        JSON.stringify(dialect === 'draft-07' ? { $schema: DRAFT_07, ...made } : made),
      );
      const byAjv = compileWithAjv(schema);
      const generated = generateArguments(schema, { seed: n + 1, count: 4 });
      const found = 'arguments' in generated ? generated.arguments : [];
      // oneOf and not may happen to exclude the witness.
      if (byAjv(witness)) {
        satisfiable += 1;
        if (found.length === 0) impossible += 1;
      }
      for (const variant of found) {
        variants += 1;
        assert.ok(byAjv(variant), `schema ${n}: ${JSON.stringify(schema)}\nmade ${JSON.stringify(variant)}`);
      }
      const validator = new Validator(new References(schema), new Budget(1e8));
      const values = [witness, ...found];
      for (let more = 0; more < 10; more += 1) values.push(mutated(random.pick(values), random));
      for (const value of values) {
        verdicts += 1;
        const verdict = byAjv(value);
        if (!verdict) refused += 1;
        assert.equal(
          validator.isValid(schema, value),
          verdict,
          `schema ${n}: ${JSON.stringify(schema)}\nvalue ${JSON.stringify(value)}`,
        );
      }
    }
    t.diagnostic(
      `${satisfiable} known to be satisfiable, ${impossible} of them given up; ${variants} variants, all valid; ` +
        `${verdicts} verdicts as Ajv's, ${refused} of them refusals`,
    );
    assert.ok(satisfiable > SCHEMAS / 2);
    assert.ok(refused > verdicts / 5);
    assert.ok(
      impossible <= satisfiable * 0.05,
      `${impossible} of ${satisfiable} satisfiable schemas were given up`,
    );
  });
}
