/**
 * Words in the place of values.
 *
 * @typedef {{text?: string, color?: string, index?: number}} Mapped
 * @typedef {{type: string, options: any}} Mapping
 */

/** @type {Record<string, (options: any, value: number | null) => Mapped | undefined>} */
export const MAPPINGS = {
  value: (options, value) => options[String(value)],
  range: ({ from, to, result }, value) =>
    value !== null && value >= (from ?? Number.NEGATIVE_INFINITY) && value <= (to ?? Number.POSITIVE_INFINITY)
      ? result
      : undefined,
  special: ({ match, result }, value) => {
    const isNull = value === null;
    const notANumber = Number.isNaN(value);
    const matches = { null: isNull, nan: notANumber, 'null+nan': isNull || notANumber }[
      /** @type {string} */ (match)
    ];
    return matches ? result : undefined;
  },
};

/**
 * @param {Mapping[] | undefined} mappings
 * @param {number | null} value
 * @returns {Mapped | null}
 */
export function mapped(mappings, value) {
  for (const { type, options } of mappings ?? []) {
    const found = MAPPINGS[type]?.(options, value);
    if (found) return found;
  }
  return null;
}
