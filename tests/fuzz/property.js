/**
 * What a fuzz test is made of: areas, each with properties, each of which takes generated input and throws where it
 * does not hold.
 *
 * @typedef {object} Area
 * @property {string} name
 * @property {Property<any>[]} properties
 * @property {() => Promise<void>} [close] ends what it has started
 */

/**
 * @template T
 * @typedef {object} Property
 * @property {string} name what holds, in a few words
 * @property {number} runs inputs of the short form
 * @property {import('fast-check').Arbitrary<T>} input
 * @property {(input: T) => unknown} holds throws, or rejects, where it does not
 * @property {() => string} [after] what is to be said of all inputs together; throws where that is not as it should be
 */

/**
 * @template T
 * @param {Property<T>} property
 * @returns {Property<T>}
 */
export const property = (property) => property;
