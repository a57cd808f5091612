/** The reference target keeps sessions meanwhile: only in a session does a client of the legacy era subscribe. */
export default async function (/** @type {import('./lab.js').Lab} */ lab) {
  if (process.env.WATCHED_SERVER === 'reference') await lab.target({ SESSIONS: '1' });
  await lab.leg({ name: 'legacy', labels: { era: 'legacy' }, env: { MCP_ERA: 'legacy' } });
}
