/**
 * Series that stand on one another.
 *
 * @param {{values: (number | null)[], scale: string, config: {custom: Record<string, any>}}[]} lines
 * @returns {{tops: (number | null)[][], bottoms: ((number | null)[] | null)[]}} where each is drawn; no bottom where it stands on zero
 */
export function stacked(lines) {
  /** @type {Map<string, number[]>} */
  const heights = new Map();
  /** @type {(number | null)[][]} */
  const tops = [];
  /** @type {((number | null)[] | null)[]} */
  const bottoms = [];
  for (const { values, scale, config } of lines) {
    const { mode, group } = config.custom.stacking ?? {};
    if (mode !== 'normal') {
      tops.push(values);
      bottoms.push(null);
      continue;
    }
    const key = `${scale} ${group}`;
    const below = heights.get(key);
    const above = values.map((value, index) => (below?.[index] ?? 0) + (value ?? 0));
    tops.push(values.map((value, index) => (value === null ? null : (above[index] ?? null))));
    bottoms.push(below ?? null);
    heights.set(key, above);
  }
  return { tops, bottoms };
}
