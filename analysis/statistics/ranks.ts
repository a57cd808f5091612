/** @returns the ranks of the values, from 1; ties get the mean of their ranks */
export function ranks(values: ArrayLike<number>): number[] {
  const order = Array.from(values, (value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const ranked = new Array(order.length).fill(0);
  let first = 0;
  while (first < order.length) {
    let last = first;
    while (order[last + 1]?.value === order[first]?.value) last += 1;
    for (const { index } of order.slice(first, last + 1)) ranked[index] = (first + last) / 2 + 1;
    first = last + 1;
  }
  return ranked;
}

/** @returns the number of occurrences of each value that occurs more than once */
export function ties(values: ArrayLike<number>): number[] {
  const counts: Map<number, number> = new Map();
  for (const value of Array.from(values)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts.values()].filter((count) => count > 1);
}
