/** Durations as people and Prometheus write them: 5s, 15m, 1h. */

/** @type {Record<string, number>} seconds */
const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, M: 2_592_000, y: 31_536_000 };

/**
 * @param {string} text for example 15m
 * @returns {number | null} seconds; null where it is no duration
 */
export function seconds(text) {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)(ms|[smhdwMy])$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * (UNITS[unit] ?? 0);
}

/**
 * @param {number} s seconds
 * @returns {string} as PromQL takes it
 */
export function promDuration(s) {
  return Number.isInteger(s) ? `${s}s` : `${Math.round(s * 1000)}ms`;
}
