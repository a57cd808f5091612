/** What stat, gauge and bar gauge show: a number a series. */
import { cssColor } from '../colors.js';
import { colorOf, fieldConfig } from '../field-config.js';
import { mapped } from '../mappings.js';
import { reduce } from '../reduce.js';
import { format } from '../units.js';

/**
 * @typedef {object} Shown
 * @property {string} name
 * @property {number | null} value
 * @property {string} text with its unit
 * @property {string} color CSS
 * @property {(number | null)[]} values
 * @property {import('../field-config.js').FieldConfig} config
 */

/**
 * @param {import('../scene.js').Scene} scene
 * @returns {Shown[]}
 */
export function valuesOf({ panel, data, theme }) {
  const { calcs = ['lastNotNull'] } = panel.options?.reduceOptions ?? {};
  return [...data.frames, ...data.tables.flat()].map(({ name, refId, values }, index) => {
    const config = fieldConfig(panel, { name, refId });
    const value = reduce(calcs[0] ?? 'lastNotNull', values);
    const word = mapped(config.mappings, value);
    return {
      name: config.displayName ?? name,
      value,
      text: word?.text ?? (value === null ? '–' : format(value, config.unit, config.decimals)),
      color: word?.color ? cssColor(word.color, theme) : colorOf(config, index, value, theme),
      values,
      config,
    };
  });
}
