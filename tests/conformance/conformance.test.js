/** The official client conformance suite, run against our client: as others see it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUp } from '../tool.js';
import { runScenario, runs, VERSIONS } from './suite.js';

setUp('k6', 'conformance');
const all = await runs();

test('the suite has scenarios for every version', () => {
  for (const version of VERSIONS) {
    assert.ok(all.filter((run) => run.version === version).length >= 2, version);
  }
});

for (const { scenario, version } of all) {
  test(`${version || 'extension'}: ${scenario}`, async () => {
    const { expected, output } = await runScenario(scenario, version);
    assert.ok(expected, output);
  });
}
