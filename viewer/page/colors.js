/**
 * Grafana's named colours, which differ between its two themes, and the order in which series take them.
 *
 * @typedef {'dark' | 'light'} ThemeName
 */

/** Each hue from dark to light; the light theme takes each one step darker. */
const HUES = {
  red: ['#AD0317', '#C4162A', '#E02F44', '#F2495C', '#FF7383', '#FFA6B0'],
  orange: ['#E55400', '#FA6400', '#FF780A', '#FF9830', '#FFB357', '#FFCB7D'],
  yellow: ['#CC9D00', '#E0B400', '#F2CC0C', '#FADE2A', '#FFEE52', '#FFF899'],
  green: ['#19730E', '#37872D', '#56A64B', '#73BF69', '#96D98D', '#C8F2C2'],
  blue: ['#1250B0', '#1F60C4', '#3274D9', '#5794F2', '#8AB8FF', '#C0D8FF'],
  purple: ['#7C2EA3', '#8F3BB8', '#A352CC', '#B877D9', '#CA95E5', '#DEB6F2'],
};
const SHADES = ['dark-', 'semi-dark-', '', 'light-', 'super-light-'];

/** @param {ThemeName} theme @returns {Record<string, string>} */
function named(theme) {
  const first = theme === 'dark' ? 1 : 0;
  return {
    text: theme === 'dark' ? '#CCCCDC' : '#24292E',
    white: '#FFFFFF',
    black: '#000000',
    gray: theme === 'dark' ? '#8E8E99' : '#75757F',
    transparent: 'rgba(0,0,0,0)',
    ...Object.fromEntries(
      Object.entries(HUES).flatMap(([hue, tones]) =>
        SHADES.map((shade, index) => [shade + hue, tones[index + first] ?? '']),
      ),
    ),
  };
}

const COLORS = { dark: named('dark'), light: named('light') };

/** Series in their order; after the last the first comes again. */
const PALETTE = [
  'green',
  'semi-dark-yellow',
  'light-blue',
  'semi-dark-orange',
  'red',
  'blue',
  'purple',
  '#705DA0',
  'dark-green',
  'yellow',
  '#447EBC',
  '#C15C17',
  '#890F02',
  '#0A437C',
  '#6D1F62',
  '#584477',
  '#B7DBAB',
  '#F4D598',
  '#70DBED',
  '#F9BA8F',
  '#F29191',
  '#82B5D8',
  '#E5A8E2',
  '#AEA2E0',
];

/** @param {string} name Grafana's, or a CSS colour @param {ThemeName} theme @returns {string} */
export function cssColor(name, theme) {
  return COLORS[theme][name] ?? name;
}

/** @param {string} name @returns {boolean} */
export function isKnownColor(name) {
  return name in COLORS.dark || /^(#[0-9a-fA-F]{3,8}|(rgb|hsl)a?\([^)]+\))$/.test(name);
}

/** @param {number} index of the series @param {ThemeName} theme @returns {string} */
export function paletteColor(index, theme) {
  return cssColor(PALETTE[index % PALETTE.length] ?? 'green', theme);
}

const IS_HEX = /^#[0-9a-fA-F]{6}$/;

/** @param {string} color #RRGGBB, or any other @param {number} opacity 0 to 1 @returns {string} */
export function withOpacity(color, opacity) {
  if (!IS_HEX.test(color)) return opacity > 0 ? color : 'transparent';
  const [r, g, b] = partsOf(color);
  return `rgba(${r},${g},${b},${opacity})`;
}

/** @param {string} color #RRGGBB @returns {number[]} red, green and blue, 0 to 255 */
const partsOf = (color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** @param {number[]} parts @returns {number} relative luminance, 0 to 1 (WCAG 2.1) */
function luminance(parts) {
  const [r = 0, g = 0, b = 0] = parts.map((value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * @param {string} color #RRGGBB
 * @returns {string} text that can be read on it
 */
export function readableOn(color) {
  if (!IS_HEX.test(color)) return '#FFFFFF';
  // Which of black and white has the higher contrast.
  return luminance(partsOf(color)) > 0.3 ? '#111217' : '#FFFFFF';
}

/** WCAG's AA, and somewhat more for what is between text and panel. */
const MIN_CONTRAST = 4.8;

/**
 * @param {string} color #RRGGBB; any other is left as it is
 * @param {ThemeName} theme
 * @returns {string} the same hue, light or dark enough to be read as text on a panel
 */
export function textColor(color, theme) {
  if (!IS_HEX.test(color)) return color;
  const panel = luminance(partsOf(CANVAS[theme].panel));
  const towards = theme === 'dark' ? 255 : 0;
  let parts = partsOf(color);
  /** @param {number} own */
  const contrast = (own) => (Math.max(own, panel) + 0.05) / (Math.min(own, panel) + 0.05);
  while (contrast(luminance(parts)) < MIN_CONTRAST) {
    parts = parts.map((part) => Math.round(part + (towards - part) * 0.08 + Math.sign(towards - part) * 0.5));
  }
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** What is drawn on a canvas, where no style sheet reaches. */
export const CANVAS = {
  dark: {
    grid: 'rgba(204,204,220,0.09)',
    axis: 'rgba(204,204,220,0.75)',
    text: '#CCCCDC',
    panel: '#181B1F',
  },
  light: {
    grid: 'rgba(36,41,46,0.1)',
    axis: 'rgba(36,41,46,0.8)',
    text: '#24292E',
    panel: '#FFFFFF',
  },
};
