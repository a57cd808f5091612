/**
 * Leaves out items whose names contain a secret that the server was sent. Names become labels, terminal
 * output and parts of files, where they may be truncated, and a truncated secret cannot be recognized. Names
 * are therefore checked here, where the client knows the secrets.
 */

/** Members that identify an item. */
const NAMES = {
  tools: ['name'],
  resources: ['name', 'uri'],
  templates: ['name', 'uriTemplate'],
  prompts: ['name'],
};

export const HOLDS_SECRET = 'contains a secret of this run and is not shown';
/** Number of characters of a name that are checked: more than an encoded secret has. */
const MAX_LOOKED_AT = 65_536;

/** @typedef {(text: string) => boolean} HoldsSecret */

/**
 * @template {Pick<import('./choose.js').Offer, 'tools' | 'resources' | 'templates' | 'prompts'>} T
 * @param {T} offer
 * @param {HoldsSecret} holdsSecret
 * @returns {{offer: T, leftOut: import('./workload.js').LeftOut[]}} leftOut: one entry per kind, without
 *   names
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
