/** Servers that others wrote, loaded by what discovery alone finds out: no failure, and every operation that it should have found. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertMeasured, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { CASES, reach, services, withServer } from './real-servers.js';

await ownStack({ up: 'observe' });

// Two at a time: what is asked of them is no load.
describe('real servers', { concurrency: 2 }, () => {
  before(() => services.start());
  after(() => services.stop());
  for (const [name, subject] of Object.entries(CASES)) {
    test(name, () =>
      withServer(subject, async (server) => {
        const run = await runTest('sustained', {
          ...reach(subject, server),
          PROFILE: 'smoke',
          DURATION: '2s',
          RATE_SCALE: subject.rate ?? '1',
          THRESHOLDS: 'off',
        });
        assertMeasured(run);
        const { document } = run;
        assert.equal(document.target.era, subject.era);
        const called = document.operations.map((/** @type {any} */ { operation }) => operation);
        const own = subject.era === 'modern' ? 'server/discover' : 'ping';
        assert.deepEqual(called.sort(), [...subject.operations, own].sort());
        for (const { operation, class: kind, requests, failures } of document.operations) {
          // Lists have a small share: of few calls it may be none.
          const mayBeNone = subject.few || (subject.rate && kind === 'protocol');
          assert.ok(requests > 0 || mayBeNone, `${operation} was not called`);
          assert.deepEqual(failures, {}, `${operation} failed`);
        }
      }),
    );
  }
});
