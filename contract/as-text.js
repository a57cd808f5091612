/** @param {unknown} value */
const oneText = (value) => (typeof value === 'object' && value !== null ? 'an object' : String(value));

/**
 * Converts a value of untrusted JSON to text. String() would throw for {"toString": 1}.
 *
 * @param {unknown} value
 * @returns {string}
 */
export const asText = (value) => (Array.isArray(value) ? value.map(oneText).join(', ') : oneText(value));
