/**
 * Arguments for a tool, made from its `inputSchema`. The same schema and seed give the same arguments, in k6 and
 * in Node; each is tested against the schema before it is handed out.
 */
import { Generator } from './generator.js';
import { isObject, isSchema } from './json.js';
import { Budget, Impossible, LIMITS, quote } from './limits.js';
import { Random } from './random.js';
import { References } from './references.js';
import { Validator } from './validate.js';

/** Steps: an ordinary tool takes some hundreds a variant, the hardest of the tests' random schemas 180,000. */
const STEPS_OF_VARIANT = 300_000;
const STEPS_BESIDES = 500_000;
const STEPS_EACH = 10_000;
/** Variants that are tried before it is given up, where none succeeds. */
const TRIES = 6;

/**
 * The first is the plainest: what the schema gives as default or example, else required properties alone. Those
 * after it vary what is optional. A schema that allows few values gives fewer than are asked for, never the same
 * twice, and more never change the ones before.
 *
 * @param {unknown} schema JSON Schema, draft-04 to 2020-12
 * @param {{seed?: number, count?: number}} [options]
 * @returns {{arguments: Record<string, any>[]} | {impossible: string}} impossible: why, in one line
 */
export function generateArguments(schema, { seed = 1, count = 1 } = {}) {
  if (!isSchema(schema)) {
    return { impossible: `the schema is ${Array.isArray(schema) ? 'a list' : quote(schema)}, not an object` };
  }
  const budget = new Budget(STEPS_BESIDES + STEPS_EACH * count);
  /** @type {Map<string, Record<string, any>>} */
  const found = new Map();
  let reason = '';
  try {
    const references = new References(schema);
    const generator = new Generator(references, new Validator(references, budget), budget);
    let repeated = 0;
    for (let index = 0; found.size < count && repeated < 10; index += 1) {
      if (found.size === 0 && index >= TRIES) break;
      budget.allow(STEPS_OF_VARIANT);
      try {
        const text = JSON.stringify(variant(generator, schema, new Random(seed, index), index === 0));
        if (text.length > LIMITS.jsonLength) {
          throw new Impossible(`the arguments are longer than ${LIMITS.jsonLength} characters`);
        }
        repeated = found.has(text) ? repeated + 1 : 0;
        if (repeated === 0) found.set(text, JSON.parse(text));
      } catch (error) {
        if (!(error instanceof Impossible)) throw error;
        reason ||= explain(error);
        repeated += 1;
        if (budget.left <= 0) break;
      }
    }
  } catch (error) {
    if (!(error instanceof Impossible)) throw error;
    reason ||= explain(error);
  }
  return found.size > 0 ? { arguments: [...found.values()] } : { impossible: reason };
}

/**
 * @param {Generator} generator
 * @param {import('./json.js').JsonObject | boolean} schema
 * @param {Random} random
 * @param {boolean} ordinary
 */
function variant(generator, schema, random, ordinary) {
  // Arguments are an object, whether the schema says so or not.
  const schemas = [schema, { type: 'object' }];
  // The whole is where `$ref: "#"` leads.
  const entered = new Map(isObject(schema) ? [[schema, 1]] : []);
  return generator.value(schemas, { random, ordinary, depth: 0, brief: false, entered });
}

/** @param {Impossible} error @returns {string} */
function explain({ message, path }) {
  return path.length === 0 ? message : `${message} (at ${quote(path.join('/'))})`;
}
