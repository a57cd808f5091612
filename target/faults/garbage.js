/** gc_pressure_mb: small objects, most of which live just long enough to be copied before they die. */

/** A list's node as V8 lays it out: header, two properties and an element of the array. */
const NODE_BYTES = 40;

/** Kept at once, MB. Several times the young generation, so what leaves has been moved to the old one. */
const KEPT_MB = 96;

/** One list a megabyte, the newest last. @type {object[][]} */
const kept = [];

/** @param {number} megabytes */
export function makeGarbage(megabytes) {
  for (let made = 0; made < megabytes; made++) {
    const count = Math.round((Math.min(1, megabytes - made) * 1e6) / NODE_BYTES);
    /** @type {{previous: object | null, n: number}[]} */
    const nodes = new Array(count);
    // Each points to the one before: the collector has to follow them all.
    for (let n = 0; n < count; n++) nodes[n] = { previous: nodes[n - 1] ?? null, n };
    kept.push(nodes);
  }
  if (kept.length > KEPT_MB) kept.splice(0, kept.length - KEPT_MB);
}

/** Forgets what is kept. */
export function dropGarbage() {
  kept.length = 0;
}
