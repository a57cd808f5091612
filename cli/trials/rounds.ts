/** Number of measurements of each item, unless RUNS is set. */
export const DEFAULT_RUNS = 3;

/**
 * Returns the order in which to measure several items: each once per round, so that drift affects all of them
 * equally. A random order is followed by its reverse, and so on.
 *
 * @param count number of rounds
 */
export function rounds<T>(things: readonly T[], count: number, random: () => number = Math.random): T[][] {
  const all: T[][] = [];
  for (let round = 0; round < count; round += 1) {
    const before = all.at(-1);
    all.push(before && round % 2 === 1 ? before.toReversed() : shuffled(things, random));
  }
  return all;
}

/** Fisher-Yates shuffle. */
function shuffled<T>(things: readonly T[], random: () => number): T[] {
  const order = [...things];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}
