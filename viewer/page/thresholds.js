/**
 * @typedef {{color: string, value: number | null}} Step from `value` on; null or nothing for the lowest
 * @typedef {{mode?: string, steps: Step[]}} Thresholds
 */

/**
 * @param {Thresholds | undefined} thresholds
 * @param {number | null} value
 * @param {{min?: number, max?: number}} [scale] what thresholds in percent are of
 * @returns {string | null} the colour's name; null where there are no thresholds
 */
export function thresholdColor(thresholds, value, scale = {}) {
  let color = thresholds?.steps[0]?.color ?? null;
  if (value === null) return color;
  for (const step of thresholds?.steps ?? []) {
    if (step.value !== null && value >= absolute(thresholds, step.value, scale)) color = step.color;
  }
  return color;
}

/**
 * @param {Thresholds | undefined} thresholds
 * @param {number} value of a step
 * @param {{min?: number, max?: number}} scale
 * @returns {number} in the unit of what is shown
 */
export function absolute(thresholds, value, { min = 0, max = 100 }) {
  return thresholds?.mode === 'percentage' ? min + ((max - min) * value) / 100 : value;
}

/**
 * @param {Thresholds | undefined} thresholds
 * @param {{min?: number, max?: number}} [scale]
 * @returns {{from: number, color: string}[]} all but the lowest, from which no line can be drawn
 */
export function limits(thresholds, scale = {}) {
  return (thresholds?.steps ?? []).flatMap(({ value, color }) =>
    value === null || value === undefined ? [] : [{ from: absolute(thresholds, value, scale), color }],
  );
}
