/** How often each thing is measured where RUNS does not say. */
export const USUAL_RUNS = 3;

/**
 * An order in which to measure several things in turn: each once a round, so that what drifts meanwhile falls on all of
 * them alike. A random order, then the same from behind, and so on.
 *
 * @template T
 * @param {readonly T[]} things
 * @param {number} count of rounds
 * @param {() => number} [random]
 * @returns {T[][]}
 */
export function rounds(things, count, random = Math.random) {
  /** @type {T[][]} */
  const all = [];
  for (let round = 0; round < count; round += 1) {
    const before = all.at(-1);
    all.push(before && round % 2 === 1 ? before.toReversed() : shuffled(things, random));
  }
  return all;
}

/** @template T @param {readonly T[]} things @param {() => number} random */
function shuffled(things, random) {
  const order = [...things];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [/** @type {T} */ (order[other]), /** @type {T} */ (order[last])];
  }
  return order;
}
