/** Variables of the environment, in which all values travel: what one is, and how they are read. */
import { ConfigError } from './config-error.js';

/**
 * @template T
 * @typedef {object} Variable
 * @property {import('./types.js').Type<T>} type
 * @property {string} [default] as the user would write it; '' = unset
 * @property {string} help one line
 * @property {string} [valid] what a right value looks like, where the type does not say all of it
 * @property {true} [secret] never to be printed
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
 * @returns {ValuesOf<V>} every variable's value, parsed
 * @throws {ConfigError} naming the variable, what it got and what is valid
 */
export function readVariables(variables, env) {
  /** @type {Record<string, unknown>} */
  const values = {};
  for (const [name, definition] of Object.entries(variables)) {
    // An empty variable is an unset one: `make spike TOOL=` must not differ from `make spike`.
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
