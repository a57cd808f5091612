/** @param {unknown} value */
const oneText = (value) => (typeof value === 'object' && value !== null ? 'an object' : String(value));

/**
 * What somebody else's JSON has where a text is expected. String() throws for {"toString": 1}.
 *
 * @param {unknown} value
 * @returns {string}
 */
export const asText = (value) => (Array.isArray(value) ? value.map(oneText).join(', ') : oneText(value));
