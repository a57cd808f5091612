import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../contract/config-error.js';
import { profiles } from '../../../contract/profiles.js';
import { readConfig } from '../../../lib/config.js';
import { needWithinLimits } from '../../../lib/load-limits.js';
import { planPhases } from '../../../lib/phases.js';

const TARGET_URL = 'http://127.0.0.1/mcp';

/** @param {import('../../../lib/phases.js').Phase} phase @param {Record<string, string>} [env] */
function check(phase, env = {}) {
  const config = readConfig({ TARGET_URL, PROFILE: 'full', ...env });
  const profile = /** @type {import('../../../contract/profiles.js').Profile} */ (profiles[config.PROFILE]);
  const phases = planPhases([phase], profile, config);
  needWithinLimits(phases, config);
}

/** @param {RegExp} message */
const refused = (message) => (/** @type {unknown} */ error) =>
  error instanceof ConfigError && message.test(error.message) && !error.message.includes('\n');

test('a rate above MAX_RATE has to be meant: one line names the variable and what it would take', () => {
  const phase = { name: 'spike', rate: 2000, duration: '60s' };
  check(phase);
  const message =
    /^the phase warm-up offers 6000 requests\/s, more than 5000; lower it, or set MAX_RATE=6000 to allow it/;
  assert.throws(() => check(phase, { RATE_SCALE: '3' }), refused(message));
  check(phase, { RATE_SCALE: '3', MAX_RATE: '6000' });
});

test('more users without a pause than MAX_VUS have to be meant', () => {
  const phase = { name: 'loop', vus: 1200, duration: '60s' };
  assert.throws(
    () => check(phase),
    refused(/has 1200 VUs, more than 1000; lower it, or set MAX_VUS=1200 to allow it/),
  );
  check(phase, { MAX_VUS: '1200' });
});
