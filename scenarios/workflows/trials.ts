import type { Lab } from '../../cli/trials/lab.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';

export const nativeOnly = true;

export const lasts: TrialsModule['lasts'] = (_, trialS) => trialS();

/**
 * Runs the reference target with sessions, because a client of the legacy versions can subscribe only in a
 * session. Other servers are called with the protocol that discovery found or TARGET_PROTOCOL sets.
 */
export default async function workflows(lab: Lab) {
  if (process.env.WATCHED_SERVER !== 'reference') {
    await lab.trial({ name: 'own' });
    return;
  }
  await lab.target({ SESSIONS: '1' });
  await lab.trial({ name: 'legacy', labels: { era: 'legacy' }, env: { TARGET_PROTOCOL: 'legacy' } });
}
