/**
 * Random schemas, each made around a value that satisfies it: arguments must be found for them, Ajv must accept all
 * that is found, and our own validator must agree with Ajv on every value. And listings that are nonsense.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { ConfigError } from '../../contract/config-error.js';
import { chooseOperations, toDocument } from '../../lib/discovery.js';
import { generateArguments } from '../../lib/schema/generate.js';
import { Budget } from '../../lib/schema/limits.js';
import { Random } from '../../lib/schema/random.js';
import { References } from '../../lib/schema/references.js';
import { Validator } from '../../lib/schema/validate.js';
import { checkDocument } from '../../lib/workload-document.js';
import { compileWithAjv, DRAFT_07 } from '../unit/lib/schema/ajv.js';
import { mutated, randomObject, SchemaMaker } from '../unit/lib/schema/random-schema.js';
import { anyJson, changed } from './generated.js';
import { orRefused } from './oracles.js';
import { property } from './property.js';
import { isValidToTheLetter } from './second-validator.js';

const RUNS = 1000;

/** @param {'2020-12' | 'draft-07'} dialect */
function aroundAValue(dialect) {
  const seen = {
    schemas: 0,
    satisfiable: 0,
    impossible: 0,
    variants: 0,
    verdicts: 0,
    refused: 0,
    second: 0,
  };
  return property({
    name: `arguments are found for schemas of ${dialect}, and both validators say the same of them`,
    runs: RUNS,
    // A seed: what is drawn after a change would be another schema, which is no smaller one.
    input: fc.noShrink(fc.nat(2 ** 31 - 1)),
    holds: async (seed) => {
      const random = new Random(seed);
      const witness = randomObject(random);
      const made = new SchemaMaker(random, dialect).document(witness);
      const schema = JSON.parse(
        JSON.stringify(dialect === 'draft-07' ? { $schema: DRAFT_07, ...made } : made),
      );
      const text = JSON.stringify(schema);
      const ajv = compileWithAjv(schema);
      const generated = generateArguments(schema, { seed: 1, count: 4 });
      const found = 'arguments' in generated ? generated.arguments : [];
      const validator = new Validator(new References(schema), new Budget(1e8));
      /** @param {unknown} value @returns {Promise<boolean>} what is right; ours says the same */
      const verdictOn = async (value) => {
        const ours = validator.isValid(schema, value);
        let verdict;
        try {
          verdict = ajv(value);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
        }
        if (verdict !== ours) {
          seen.second += 1;
          verdict = await isValidToTheLetter(schema, value);
        }
        assert.equal(ours, verdict, `${text}\nvalue ${JSON.stringify(value)}`);
        return ours;
      };
      const values = [witness, ...found];
      for (let more = 0; more < 10; more += 1) values.push(mutated(random.pick(values), random));
      const verdicts = [];
      for (const value of values) verdicts.push(await verdictOn(value));
      const [satisfied, ...others] = verdicts;
      for (const [index, variant] of found.entries()) {
        assert.ok(others[index], `${text}\nmade ${JSON.stringify(variant)}`);
      }
      seen.schemas += 1;
      seen.variants += found.length;
      seen.verdicts += verdicts.length;
      seen.refused += verdicts.filter((valid) => !valid).length;
      // oneOf and not may happen to exclude the witness.
      if (satisfied) {
        seen.satisfiable += 1;
        if (found.length === 0) seen.impossible += 1;
      }
    },
    after: () => {
      const { schemas, satisfiable, impossible, variants, verdicts, refused, second } = seen;
      assert.ok(satisfiable > schemas / 2);
      assert.ok(refused > verdicts / 5);
      assert.ok(
        impossible <= satisfiable * 0.05,
        `${impossible} of ${satisfiable} satisfiable schemas were given up`,
      );
      return (
        `${satisfiable} known to be satisfiable, ${impossible} of them given up; ${variants} variants, all valid; ` +
        `${verdicts} verdicts as Ajv's, ${refused} of them refusals; ${second} times Ajv was wrong, says a second validator`
      );
    },
  });
}

/** What real servers list. @type {any[]} */
const LISTED = JSON.parse(
  readFileSync(new URL('../unit/lib/schema/fixtures/tools.json', import.meta.url), 'utf8'),
);
const TOOLS = LISTED.flatMap((one) => one.tools ?? [one]).map((tool) => ({
  annotations: { readOnlyHint: true },
  ...tool,
}));
const RESOURCES = [{ uri: 'file:///a', name: 'a', mimeType: 'text/plain', size: 5 }];
const TEMPLATES = [{ uriTemplate: 'file:///{a}/{b}', name: 'b' }];
const PROMPTS = [{ name: 'p', arguments: [{ name: 'x', required: true }, { name: 'y' }] }];

/** @type {import('./property.js').Area} */
const area = {
  name: 'schema',
  properties: [
    aroundAValue('2020-12'),
    aroundAValue('draft-07'),
    property({
      name: 'of whatever a server lists comes a workload that can be loaded, or one line',
      runs: 300,
      input: fc.record({
        era: fc.constantFrom(/** @type {const} */ ('modern'), /** @type {const} */ ('legacy')),
        tools: fc.array(fc.oneof({ weight: 3, arbitrary: changed(TOOLS) }, anyJson), { maxLength: 6 }),
        resources: fc.array(changed(RESOURCES), { maxLength: 2 }),
        templates: fc.array(changed(TEMPLATES), { maxLength: 2 }),
        prompts: fc.array(changed(PROMPTS), { maxLength: 2 }),
        named: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.array(fc.string(), { maxLength: 2 })),
      }),
      holds: ({ era, named, ...listed }) => {
        const offer = { era, capabilities: {}, ...listed };
        const config = { TOOLS: named, ALLOW_WRITES: true, SEED: 1 };
        const chosen = orRefused(() => chooseOperations(offer, config, () => ['one']), ConfigError);
        if (!('value' in chosen) || Object.keys(chosen.value.operations).length === 0) return;
        const connection = { era, version: '2025-11-25', server: { name: 'x', version: '1' } };
        checkDocument(JSON.parse(JSON.stringify(toDocument(/** @type {any} */ (connection), chosen.value))));
      },
    }),
  ],
};
export default area;
