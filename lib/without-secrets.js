/**
 * Leaves out what a server calls by a secret that it was sent. A name becomes a label, a line on the terminal and a part of files, where
 * it is cut: what is left of a secret then looks like any other text. So it has to be found here, where the client knows the secrets.
 */

/** Members that call an item by a name. */
const NAMES = {
  tools: ['name'],
  resources: ['name', 'uri'],
  templates: ['name', 'uriTemplate'],
  prompts: ['name'],
};

export const HOLDS_SECRET = 'holds a secret that the run sends, and would show it';
/** Characters of a name that are looked at: more than a secret has, in any spelling. */
const MAX_LOOKED_AT = 65_536;

/** @typedef {(text: string) => boolean} HoldsSecret */

/**
 * @template {Pick<import('./choose.js').Offer, 'tools' | 'resources' | 'templates' | 'prompts'>} T
 * @param {T} offer
 * @param {HoldsSecret} holdsSecret
 * @returns {{offer: T, leftOut: import('./workload.js').LeftOut[]}} leftOut: a line for each kind, without a name
 */
export function withoutSecrets(offer, holdsSecret) {
  const clean = { ...offer };
  /** @type {import('./workload.js').LeftOut[]} */
  const leftOut = [];
  for (const kind of /** @type {(keyof typeof NAMES)[]} */ (Object.keys(NAMES))) {
    const isClean = (/** @type {any} */ item) =>
      NAMES[kind].every((key) => {
        const name = item?.[key];
        return typeof name !== 'string' || !holdsSecret(name.slice(0, MAX_LOOKED_AT));
      });
    clean[kind] = offer[kind].filter(isClean);
    const count = offer[kind].length - clean[kind].length;
    if (count > 0) leftOut.push({ operation: `${count} ${kind}`, reason: `a name ${HOLDS_SECRET}` });
  }
  return { offer: clean, leftOut };
}
