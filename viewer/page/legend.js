/** How a series is called. */

/**
 * @param {string | undefined} legendFormat with {{label}} for a label's value
 * @param {Record<string, string>} labels
 * @returns {string}
 */
export function seriesName(legendFormat, labels) {
  if (legendFormat && legendFormat !== '__auto') return fillLabels(legendFormat, labels).trim();
  const { __name__ = '', ...rest } = labels;
  const named = Object.entries(rest).map(([label, value]) => `${label}="${value}"`);
  return named.length > 0 ? `${__name__}{${named.join(', ')}}` : __name__ || 'Value';
}

/** @param {string} text @param {Record<string, string>} labels @returns {string} an unknown label is empty */
export function fillLabels(text, labels) {
  return text.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (_, label) => labels[label] ?? '');
}
