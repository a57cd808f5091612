/**
 * How a series or a column is shown: the panel's defaults, and what its overrides say of it.
 *
 * @typedef {object} FieldConfig
 * @property {string} [unit]
 * @property {number} [decimals]
 * @property {number} [min]
 * @property {number} [max]
 * @property {string} [displayName]
 * @property {string} [noValue]
 * @property {{mode: string, fixedColor?: string, seriesBy?: string}} [color]
 * @property {import('./thresholds.js').Thresholds} [thresholds]
 * @property {import('./mappings.js').Mapping[]} [mappings]
 * @property {Record<string, any>} custom
 */
import { cssColor, paletteColor } from './colors.js';
import { thresholdColor } from './thresholds.js';

/** @typedef {{name: string, refId: string}} Field */

/** @type {Record<string, (options: any, field: Field) => boolean>} which fields an override is for */
export const MATCHERS = {
  byName: (name, field) => field.name === name,
  byFrameRefID: (refId, field) => field.refId === refId,
  byRegexp: (pattern, field) => regularExpression(pattern).test(field.name),
};

/** @param {string} text `/pattern/flags`, or the pattern alone @returns {RegExp} */
export function regularExpression(text) {
  const [, pattern, flags] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
  return pattern === undefined ? new RegExp(`^${text}$`) : new RegExp(pattern, flags);
}

/**
 * @param {any} panel its JSON
 * @param {Field} field
 * @returns {FieldConfig}
 */
export function fieldConfig(panel, field) {
  const { defaults = {}, overrides = [] } = panel.fieldConfig ?? {};
  const config = { ...defaults, custom: { ...defaults.custom } };
  for (const { matcher, properties } of overrides) {
    if (!MATCHERS[matcher.id]?.(matcher.options, field)) continue;
    for (const { id, value } of properties) {
      if (id.startsWith('custom.')) config.custom[id.slice('custom.'.length)] = value;
      else config[id] = value;
    }
  }
  return config;
}

/**
 * @param {FieldConfig} config
 * @param {number} index of the series among all of the panel
 * @param {number | null} value what a colour by threshold goes by
 * @param {import('./colors.js').ThemeName} theme
 * @returns {string} a CSS colour
 */
export function colorOf({ color, thresholds, min, max }, index, value, theme) {
  if (color?.mode === 'fixed') return cssColor(color.fixedColor ?? 'text', theme);
  if (color?.mode === 'thresholds')
    return cssColor(thresholdColor(thresholds, value, { min, max }) ?? 'text', theme);
  return paletteColor(index, theme);
}
