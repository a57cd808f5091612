/** Small questions about JSON values. */

/** @typedef {Record<string, any>} JsonObject */

/**
 * @param {unknown} value
 * @returns {value is JsonObject}
 */
export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * @param {unknown} value
 * @returns {value is JsonObject | boolean}
 */
export const isSchema = (value) => typeof value === 'boolean' || isObject(value);

/** @param {unknown} value */
export const isCount = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/**
 * A property of the object itself: names such as "constructor" come from a server and must not find what
 * every object inherits.
 *
 * @param {any} object
 * @param {string} name
 */
export const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

/**
 * @param {unknown} value
 * @returns {'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'}
 */
export function typeOf(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return /** @type {'boolean' | 'number' | 'string' | 'object'} */ (typeof value);
}

/**
 * @param {unknown} value
 * @returns {string} the same text for equal values, whatever the order of their members
 */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value === 0 ? 0 : value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

/** @param {string} text */
export function characters(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
