/** gc_pressure_mb: small objects that live just long enough to be copied before they die, in no order. */

/** A chain's link as V8 lays it out, with the slot that keeps it. */
const LINK_BYTES = 40;
/** So many are kept: several times the young generation, so what is replaced has been moved to the old one. */
const SLOTS = 200_000;
/** Short chains: the collector has to follow them, and each keeps a few that are in no slot any more. */
const CHAIN = 8;

/** @type {({previous: object | null, n: number} | null)[]} */
let kept = [];
let state = 1;

/** @returns {number} a slot that is not next to the one before: whole pages of memory would otherwise become free at once */
function anySlot() {
  // Numerical Recipes' generator: almost nothing compared with what it is for.
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

/** Forgets what is kept. */
export function dropGarbage() {
  kept = [];
}
