/** gc_pressure_mb: allocates small objects that live long enough to be copied and are released in random order. */

/** Size of a link of a chain in V8, including the slot that refers to it, bytes. */
const LINK_BYTES = 40;
/**
 * Number of slots that keep objects: several times the young generation, so replaced objects are in the old generation.
 */
const SLOTS = 200_000;
/** Length of the chains. The collector must follow them. Each chain keeps alive a few links that have no slot. */
const CHAIN = 8;

/** @type {({previous: object | null, n: number} | null)[]} */
let kept = [];
let state = 1;

/** @returns {number} a random slot, so that neighbours are not released together, which would free whole pages */
function anySlot() {
  // The generator from Numerical Recipes, which costs little CPU time.
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * SLOTS);
}

/** @param {number} megabytes */
export function makeGarbage(megabytes) {
  if (kept.length === 0) kept = new Array(SLOTS).fill(null);
  const count = Math.round((megabytes * 1e6) / LINK_BYTES);
  /** @type {{previous: object | null, n: number} | null} */
  let link = null;
  for (let n = 0; n < count; n++) {
    link = { previous: n % CHAIN === 0 ? null : link, n };
    kept[anySlot()] = link;
  }
}

/** Releases all objects that are kept. */
export function dropGarbage() {
  kept = [];
}
