/** Candidates for a string: by its format, by its pattern, else words. */
import { formatOf, sampleBase64 } from './formats.js';
import { isCount } from './json.js';
import { Impossible, LIMITS, quote } from './limits.js';
import { sample } from './pattern-sample.js';
import { words } from './words.js';

const PLAIN_TRIES = 40;
const MIXED_TRIES = 100;

/**
 * @param {import('./facts.js').Facts} facts
 * @param {import('./facts.js').Place} place
 * @param {import('./validate.js').Validator} validator
 * @returns {Generator<string>} the caller tests each
 */
export function* strings({ nodes }, { random, ordinary }, validator) {
  let min = 0;
  let max = Infinity;
  for (const { minLength, maxLength } of nodes) {
    if (isCount(minLength)) min = Math.max(min, Math.ceil(minLength));
    if (isCount(maxLength)) max = Math.min(max, Math.floor(maxLength));
  }
  if (min > max) throw new Impossible(`no string is at least ${min} and at most ${max} characters long`);
  checkLength('minLength', min);
  const formats = nodes.map(({ format }) => formatOf(format)).filter((format) => format !== undefined);
  const sources = nodes.map(({ pattern }) => pattern).filter((pattern) => typeof pattern === 'string');
  const patterns = [...new Set(sources)].map((source) => validator.pattern(source));
  for (const { root, source } of patterns) {
    checkLength(`the length that the pattern ${quote(source)} asks for`, root.min);
    if (root.min > max) {
      throw new Impossible(`the pattern ${quote(source)} matches nothing of at most ${max} characters`);
    }
  }
  const { budget } = validator;
  for (const format of formats) {
    const limit = Math.min(max, LIMITS.stringLength);
    for (let attempt = 0; attempt < 12; attempt += 1) {
      budget.spend(20);
      yield format.sample({ random, attempt, min, max: limit });
    }
  }
  for (const [mixed, tries] of /** @type {const} */ ([
    [false, PLAIN_TRIES],
    [true, MIXED_TRIES],
  ])) {
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const make = { random, budget, mixed };
      for (const pattern of patterns) {
        const low = Math.max(min, pattern.root.min);
        yield sample(pattern, { min: low, max: Math.min(max, low + 40) }, make);
      }
      if (patterns.length < 2) continue;
      // What each asks for one after the other: a beginning, something inside, an end.
      const parts = random.shuffle(patterns).map((pattern) => {
        const { min: low } = pattern.root;
        return sample(pattern, { min: low, max: low + 4 }, make);
      });
      yield parts.join('');
    }
  }
  if (patterns.length > 0) return;
  budget.spend(20 + min);
  yield* encoded(nodes, { random, min, max });
  for (let count = 0; count < 30; count += 1) {
    const longer = ordinary && count === 0 ? min : Math.min(max, Math.max(min, random.integer(0, 16)));
    yield words(random, ' ', longer, max);
  }
  // Short strings have few words, and a list may want them all different.
  if (max >= 1)
    for (const letter of 'abcdefghijklmnopqrstuvwxyz') yield words(random, '', min, max - 1) + letter;
}

/**
 * @param {string} what
 * @param {number} length
 */
function checkLength(what, length) {
  if (length > LIMITS.stringLength) {
    throw new Impossible(
      `${what} is ${length}, more than the ${LIMITS.stringLength} characters that a generated string may have`,
    );
  }
}

/**
 * @param {import('./json.js').JsonObject[]} nodes
 * @param {{random: import('./random.js').Random, min: number, max: number}} make
 * @returns {Generator<string>}
 */
function* encoded(nodes, make) {
  for (const { contentEncoding, contentMediaType } of nodes) {
    if (contentEncoding === 'base64') yield sampleBase64({ ...make, attempt: 0 });
    else if (contentMediaType === 'application/json') yield `{"${words(make.random, '', 0, 20)}":1}`;
  }
}
