import assert from 'node:assert/strict';
import { test } from 'node:test';
import { told, tryArea } from './try-area.js';

/** The same input each time: what fails here fails again. */
const SEED = 20_260_102;

/**
 * Makes a test of an area's short form.
 *
 * @param {string} area
 * @param {string} about
 */
export function testArea(area, about) {
  test(`generated input: ${about}`, async (t) => {
    const job = { area, seed: SEED };
    const outcomes = await tryArea(job);
    assert.equal(outcomes.map((outcome) => told(job, outcome)).join(''), '');
    assert.ok(outcomes.length > 0 && outcomes.every(({ inputs }) => inputs > 0));
    const inputs = outcomes.reduce((sum, outcome) => sum + outcome.inputs, 0);
    t.diagnostic(`fuzz ${area}: ${inputs} inputs, 0 failures, seed ${SEED}`);
    for (const { said } of outcomes) if (said) t.diagnostic(`fuzz ${area}: ${said}`);
  });
}
