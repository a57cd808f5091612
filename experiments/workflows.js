/** @typedef {import('./lab.js').Lab} Lab */

/** @type {import('./lasts.ts').Lasts} */
export const lasts = (_, trialS) => trialS();

/**
 * The reference target keeps sessions meanwhile: only in a session can a client of the legacy era subscribe. Another
 * server is spoken to as discovery, or TARGET_PROTOCOL, says.
 *
 * @param {Lab} lab
 */
export default async function workflows(lab) {
  if (process.env.WATCHED_SERVER !== 'reference') {
    await lab.trial({ name: 'own' });
    return;
  }
  await lab.target({ SESSIONS: '1' });
  await lab.trial({ name: 'legacy', labels: { era: 'legacy' }, env: { TARGET_PROTOCOL: 'legacy' } });
}
