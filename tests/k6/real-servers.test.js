/** The client against servers that others wrote: the era that it finds, sessions, every method, the failures of tools. */
import { after, before, describe, test } from 'node:test';
import { CASES, isSpokenTo, services, withServer } from './real-servers.js';

// Two at a time: what is asked of them is no load.
describe('real servers', { concurrency: 2 }, () => {
  before(() => services.start());
  after(() => services.stop());
  for (const [name, subject] of Object.entries(CASES)) {
    // A gateway takes a minute to install and half of one to start: discovered-load.test.js has it.
    if (subject.few) continue;
    test(name, () => withServer(subject, (server) => isSpokenTo(subject, server)));
  }
});
