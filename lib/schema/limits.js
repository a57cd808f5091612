/**
 * What keeps a hostile schema from costing much: every loop spends steps of one budget, and sizes are bounded.
 * Steps and not a clock, so that the same schema ends the same way on every machine.
 */

export const LIMITS = {
  /** members of all objects and lists of the schema together */
  schemaParts: 100_000,
  /** levels of nesting of the schema's JSON */
  schemaDepth: 200,
  /** levels of nesting of a generated value */
  valueDepth: 24,
  /** characters of a generated string */
  stringLength: 8192,
  /** items of a generated list */
  items: 256,
  /** properties of a generated object */
  properties: 256,
  /** characters of all arguments together, as JSON */
  jsonLength: 65_536,
  /** schemas that are applied to one value inside each other, which only `$ref` can make endless */
  nestedChecks: 400,
  /** characters of a pattern */
  patternLength: 8192,
  /** instructions of a pattern's program, repetitions written out */
  patternProgram: 20_000,
};

/** No value can be made; the message says why in one line. */
export class Impossible extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(reason);
    /** Where in the value; filled in on the way out. @type {string[]} */
    this.path = [];
  }
}

/** A limit is reached: trying another branch would reach it as well. */
export class LimitReached extends Impossible {}

/** A step is about one comparison of a character; larger work costs more of them. */
export class Budget {
  /** @param {number} steps */
  constructor(steps) {
    this.left = steps;
    /** What a variant may spend of it. */
    this.floor = 0;
  }

  /** @param {number} steps for what follows, at most */
  allow(steps) {
    this.floor = Math.max(0, this.left - steps);
  }

  /** @param {number} [steps] */
  spend(steps = 1) {
    this.left -= steps;
    if (this.left < this.floor) {
      throw new LimitReached('the schema takes more steps than a generated value may cost');
    }
  }
}

/**
 * @param {unknown} text of a server, which may be anything
 * @returns {string} short, in quotes, in one line
 */
export function quote(text) {
  const json = JSON.stringify(text) ?? String(text);
  return json.length > 100 ? `${json.slice(0, 96)}..."` : json;
}
