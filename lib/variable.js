/** What a variable of a test is made of, and the kinds of value that more than one of them has. */
import { ConfigError } from './config-error.js';
import { parseDuration } from './duration.js';
import { oneLine } from './one-line.js';

/**
 * @template T
 * @typedef {object} Variable
 * @property {string} default as the user would write it; '' = unset
 * @property {string} help one line
 * @property {string} valid what a right value looks like, for the error message
 * @property {(text: string) => T | undefined} parse undefined = not valid
 * @property {true} [secret] never to be printed
 */

/**
 * @template {Record<string, Variable<any>>} V
 * @typedef {{[K in keyof V]: Exclude<ReturnType<V[K]['parse']>, undefined>}} ValuesOf
 */

/**
 * @template T
 * @param {Variable<T>} variable
 */
export const variable = (variable) => variable;

/** @param {string} text */
export const anyText = (text) => text;

/** @param {readonly string[]} choices */
export const oneOf = (choices) => (/** @type {string} */ text) => (choices.includes(text) ? text : undefined);

/** Beyond it a rate is none that anything has, and k6, which counts in 64 bits, may begin anew below zero. */
const GREATEST = 1e9;

/** @param {string} text */
export const positiveNumber = (text) =>
  /^\d+(\.\d+)?$/.test(text) && Number(text) > 0 && Number(text) <= GREATEST ? Number(text) : undefined;

/** @param {string} text */
export const positiveInteger = (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined);

/** @param {string} text */
export const optionalDuration = (text) => (text === '' ? null : (parseDuration(text) ?? undefined));

/** What ends in a number is an IPv4 address, or nothing. */
const NOT_A_NAME = /(^|\.)\d+\.?$/;
const IPV4 = /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$/;

/** @param {string} text */
function isIpv6(text) {
  const halves = text.split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const enough = halves.length === 2 ? groups.length < 8 : groups.length === 8;
  return halves.length <= 2 && enough && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group));
}

/** @param {string} text */
export function httpUrl(text) {
  // k6 has no URL class; host and port are all that must be told apart here.
  const [, name = '', ipv6 = '', port = ''] =
    /^https?:\/\/(?:([\w.-]+)|\[([^\]]*)\])(?::(\d{1,5}))?(?:\/[^\s]*)?$/.exec(text) ?? [];
  const known = name === '' ? isIpv6(ipv6) : !NOT_A_NAME.test(name) || IPV4.test(name);
  return known && Number(port) <= 65535 && oneLine(text) === text ? text : undefined;
}

/** @param {string} text */
export function jsonObject(text) {
  if (text === '') return null;
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} text @returns {Record<string, string> | null | undefined} */
export function textObject(text) {
  const value = jsonObject(text);
  return value && !Object.values(value).every((each) => typeof each === 'string') ? undefined : value;
}

/** @param {string} text */
export const flag = (text) => (['0', '1'].includes(text) ? text === '1' : undefined);

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
    const text = env[name] || definition.default;
    const value = definition.parse(text);
    if (value === undefined) {
      const got = 'secret' in definition ? 'a value that is not shown' : `"${text.slice(0, 80)}"`;
      throw new ConfigError(`${name} is ${text === '' ? 'empty' : got}; valid: ${definition.valid}`);
    }
    values[name] = value;
  }
  return /** @type {ValuesOf<V>} */ (values);
}
