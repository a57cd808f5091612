/**
 * An environment variable.
 * @typedef {object} Variable
 * @property {string} [fallback] the text that is used if the variable is unset or empty; without it, the variable is
 * required
 * @property {string} valid describes valid values; completes "valid: ..."
 * @property {(text: string) => any} parse returns undefined if the value is invalid
 * @property {string} [about] one line for `make help-all`
 * @property {boolean} [secret] the value must not appear in messages
 */

/** An invalid or missing variable. The message is one line for the person who started the process. */
export class EnvironmentError extends Error {}

/**
 * Reads and validates variables.
 * @param {Record<string, Variable>} variables by name
 * @param {NodeJS.ProcessEnv} env
 * @returns {Record<string, any>} the parsed values by name
 * @throws {EnvironmentError} naming the first invalid variable, its value and the valid ones
 */
export function readEnvironment(variables, env) {
  return Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => {
      const text = env[name] || variable.fallback;
      if (text === undefined) throw new EnvironmentError(`${name} is missing; valid: ${variable.valid}`);
      const value = variable.parse(text);
      if (value === undefined) {
        const got = variable.secret ? 'a wrong value (not shown)' : JSON.stringify(text);
        throw new EnvironmentError(`${name} got ${got}; valid: ${variable.valid}`);
      }
      return [name, value];
    }),
  );
}

/**
 * @param {number} min
 * @param {number} max
 * @param {string} [fallback]
 * @returns {Variable}
 */
export function wholeNumber(min, max, fallback) {
  return {
    fallback,
    valid: `a whole number from ${min} to ${max}`,
    parse: (text) => (/^\d{1,9}$/.test(text) && +text >= min && +text <= max ? +text : undefined),
  };
}

/**
 * @param {string[]} names
 * @param {string} [fallback]
 * @returns {Variable}
 */
export function oneOf(names, fallback) {
  return {
    fallback,
    valid: `one of ${names.join(', ')}`,
    parse: (text) => (names.includes(text) ? text : undefined),
  };
}

/**
 * @param {string[]} protocols such as `redis:`
 * @param {Partial<Variable>} [more]
 * @returns {Variable}
 */
export function url(protocols, more = {}) {
  return {
    valid: `a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    parse: (text) => (URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined),
    ...more,
  };
}

/**
 * @param {string} valid
 * @param {Partial<Variable>} [more]
 * @returns {Variable}
 */
export function nonEmpty(valid, more = {}) {
  return { valid, parse: (text) => text, ...more };
}
