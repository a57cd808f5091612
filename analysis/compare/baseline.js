/** A baseline: what a comparison needs of some runs as a plain file in git (baseline.schema.json). */
import { cleanDeep } from '../clean-text.js';
import { validator } from '../schemas.js';
import { CompareError } from './compare-error.js';
import { difference, refusal } from './digest.js';

/**
 * @typedef {object} Baseline
 * @property {'mcp-load-lab/baseline/1'} schema
 * @property {string} name
 * @property {import('./digest.js').Conditions} conditions
 * @property {Omit<import('./digest.js').Digest, 'conditions'>[]} runs by their start
 */

export const BASELINE_SCHEMA = 'mcp-load-lab/baseline/1';

const validate = validator('compare/baseline.schema.json');

/**
 * @param {string} name
 * @param {import('./digest.js').Digest[]} digests
 * @param {{includeFailed: boolean}} options
 * @param {readonly string[]} [secrets]
 * @returns {Baseline} in a stable order, so that a diff shows what changed
 * @throws {CompareError} where they are no runs of one thing, or one of them is not to be compared
 */
export function makeBaseline(name, digests, options, secrets = []) {
  const [first] = digests;
  if (!first) throw new CompareError('a baseline needs one run at least');
  for (const digest of digests) {
    const refused = refusal(digest, options);
    if (refused) throw new CompareError(`${digest.testid} can't be part of a baseline: ${refused}`);
    const differs = difference(first, digest);
    if (differs) throw new CompareError(`these are not runs of the same thing: ${differs}`);
  }
  const runs = digests
    .map(({ conditions: _, values, ...digest }) => ({ ...digest, values: sorted(values) }))
    .sort((a, b) => (`${a.started} ${a.testid}` < `${b.started} ${b.testid}` ? -1 : 1));
  const baseline = cleanDeep({ schema: BASELINE_SCHEMA, name, conditions: first.conditions, runs }, secrets);
  const problem = validate(baseline);
  if (problem) throw new Error(`the baseline does not match its schema: ${problem}`);
  return /** @type {Baseline} */ (baseline);
}

/** @param {Record<string, number>} values */
const sorted = (values) => Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * @param {unknown} document
 * @returns {import('./digest.js').Digest[]}
 * @throws {CompareError} where it is no baseline
 */
export function digestsOf(document) {
  const problem = validate(document);
  if (problem) throw new CompareError(`it is no baseline: ${problem}`);
  const { conditions, runs } = /** @type {Baseline} */ (document);
  return runs.map((run) => ({ ...run, conditions }));
}
