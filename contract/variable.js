/** Environment variables, which pass all settings: their definition and parsing. */
import { ConfigError } from './config-error.js';

/**
 * @template T
 * @typedef {object} Variable
 * @property {import('./types.js').Type<T>} type
 * @property {string} [default] the default as text; '' = unset
 * @property {string} help one line
 * @property {string} [valid] description of the valid values, if the type's is not enough
 * @property {true} [secret] never printed
 */

/**
 * @template {Record<string, Variable<any>>} V
 * @typedef {{[K in keyof V]: Exclude<ReturnType<V[K]['type']['parse']>, undefined>}} ValuesOf
 */

/** @param {Variable<any>} variable */
export const validOf = ({ valid, type }) => valid ?? type.valid;

/**
 * @template {Record<string, Variable<any>>} V
 * @param {V} variables
 * @param {Record<string, string | undefined>} env
 * @returns {ValuesOf<V>} the parsed value of each variable
 * @throws {ConfigError} names the variable, its value and the valid values
 */
export function readVariables(variables, env) {
  /** @type {Record<string, unknown>} */
  const values = {};
  for (const [name, definition] of Object.entries(variables)) {
    // An empty variable counts as unset: `make spike TOOL=` is the same as `make spike`.
    const text = env[name] || definition.default || '';
    const value = definition.type.parse(text);
    if (value === undefined) {
      const got = definition.secret ? 'a value that is not shown' : `"${text.slice(0, 80)}"`;
      throw new ConfigError(`${name} is ${text === '' ? 'empty' : got}; valid: ${validOf(definition)}`);
    }
    values[name] = value;
  }
  return /** @type {ValuesOf<V>} */ (values);
}
