/** The official client conformance suite, run against our client: as others see it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUp } from '../tool.js';
import { runScenario, scenarios } from './suite.js';

setUp('k6', 'conformance');
const all = await scenarios();
const run = all.filter(({ excluded }) => !excluded);

test('the suite has scenarios for every version, and for authorization', () => {
  for (const version of ['2025-06-18', '2025-11-25', '2026-07-28', '']) {
    assert.ok(run.filter((scenario) => scenario.version === version).length >= 2, version);
  }
  assert.ok(run.filter(({ scenario }) => scenario.startsWith('auth/')).length >= 5);
});

for (const scenario of run) {
  test(`${scenario.version || 'extension'}: ${scenario.scenario}`, async () => {
    const { passed, output } = await runScenario(scenario);
    assert.ok(passed, output);
  });
}
