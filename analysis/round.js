/**
 * @param {number} value
 * @param {number} [digits] after the point; 3 keeps a millisecond figure to the microsecond
 * @returns {number}
 */
export function round(value, digits = 3) {
  return Number(value.toFixed(digits));
}
