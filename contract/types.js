/**
 * Types of variables: each parses a value from text and describes the valid values.
 *
 * @template T
 * @typedef {object} Type
 * @property {string} valid
 * @property {(text: string) => T | undefined} parse undefined = invalid
 */
import { parseDuration } from './duration.js';
import { oneLine } from './one-line.js';

/** Maximum of numbers. Larger rates could overflow k6's int64. */
const MAX_NUMBER = 1e9;

export const text = { valid: 'any text', parse: (/** @type {string} */ value) => value };

/** @template {string} T @param {readonly T[]} choices */
export const oneOf = (choices) => ({
  valid: choices.join(', '),
  parse: (/** @type {string} */ value) => choices.find((choice) => choice === value),
});

export const flag = {
  valid: '0, 1',
  parse: (/** @type {string} */ value) => (['0', '1'].includes(value) ? value === '1' : undefined),
};

export const positiveNumber = {
  valid: 'a number above 0',
  parse: (/** @type {string} */ value) =>
    /^\d+(\.\d+)?$/.test(value) && Number(value) > 0 && Number(value) <= MAX_NUMBER
      ? Number(value)
      : undefined,
};

export const positiveInteger = {
  valid: 'a whole number above 0',
  parse: (/** @type {string} */ value) => (/^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined),
};

export const share = {
  valid: 'a number from 0 to 1',
  parse: (/** @type {string} */ value) => (/^(0(\.\d+)?|1(\.0+)?)$/.test(value) ? Number(value) : undefined),
};

/** Parsed to seconds. */
export const duration = {
  valid: 'a duration such as 500ms, 10s or 1m',
  parse: (/** @type {string} */ value) => parseDuration(value) ?? undefined,
};

/** Removes trailing line breaks: a secret read from a file often ends with one. @param {string} text */
export const withoutLineEnd = (text) => text.replace(/[\r\n]+$/, '');

/** A valid token after `Bearer ` in a header. */
export const token = {
  valid: 'printable characters without spaces',
  parse(/** @type {string} */ value) {
    const text = withoutLineEnd(value);
    return /^[\x21-\x7e]*$/.test(text) ? text : undefined;
  },
};

/** A host that ends in a number must be an IPv4 address. */
const NOT_A_NAME = /(^|\.)\d+\.?$/;
const IPV4 = /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$/;

/** @param {string} value */
function isIpv6(value) {
  const halves = value.split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const enough = halves.length === 2 ? groups.length < 8 : groups.length === 8;
  return halves.length <= 2 && enough && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group));
}

/** '' = none. */
export const url = {
  valid: 'an http(s) URL without credentials',
  parse(/** @type {string} */ value) {
    if (value === '') return '';
    // k6 has no URL class. Only host and port matter here.
    const [, name = '', ipv6 = '', port = ''] =
      /^(?:https?|stdio):\/\/(?:([\w.-]+)|\[([^\]]*)\])(?::(\d{1,5}))?(?:\/[^\s]*)?$/.exec(value) ?? [];
    const known = name === '' ? isIpv6(ipv6) : !NOT_A_NAME.test(name) || IPV4.test(name);
    return known && Number(port) <= 65535 && oneLine(value) === value ? value : undefined;
  },
};

/** null = none. */
export const jsonObject = {
  valid: 'one JSON object, for example {"message":"hi"}',
  /** @returns {Record<string, unknown> | null | undefined} */
  parse(/** @type {string} */ text) {
    if (text === '') return null;
    try {
      const value = JSON.parse(text);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
    } catch {
      return undefined;
    }
  },
};

/** null = none. */
export const textObject = {
  valid: 'one JSON object of texts, for example {"get_user":"upstream-get-user"}',
  /** @returns {Record<string, string> | null | undefined} */
  parse(/** @type {string} */ text) {
    const value = jsonObject.parse(text);
    if (!value) return /** @type {null | undefined} */ (value);
    const isOfTexts = Object.values(value).every((each) => typeof each === 'string');
    return isOfTexts ? /** @type {Record<string, string>} */ (value) : undefined;
  },
};

/** Separated by spaces or commas. */
export const words = {
  valid: 'words separated by spaces',
  parse: (/** @type {string} */ value) => value.split(/[\s,]+/).filter((word) => word !== ''),
};

/** null = none; names separated by commas. */
export const names = {
  valid: 'names separated by commas',
  /** @returns {string[] | null | undefined} */
  parse(/** @type {string} */ text) {
    if (text === '') return null;
    const all = text.split(',').map((name) => name.trim());
    return all.includes('') ? undefined : [...new Set(all)];
  },
};

/** Distinct numbers in ascending order; null = none. @param {number} most the maximum */
export const countsUpTo = (most) => ({
  valid: `whole numbers from 1 to ${most}, separated by spaces`,
  /** @returns {number[] | null | undefined} */
  parse(/** @type {string} */ text) {
    if (text === '') return null;
    const counts = text.split(/[\s,]+/).filter((count) => count !== '');
    const fine = counts.every((count) => /^[1-9]\d{0,8}$/.test(count) && Number(count) <= most);
    return fine && counts.length > 0 ? [...new Set(counts.map(Number))].sort((a, b) => a - b) : undefined;
  },
});

/**
 * @template T
 * @template [E=null]
 * @param {Type<T>} type
 * @param {E} [none] the value of an unset variable
 */
export const optional = (type, none = /** @type {any} */ (null)) => ({
  ...type,
  /** @returns {T | E | undefined} */
  parse: (/** @type {string} */ value) => (value === '' ? none : type.parse(value)),
});
