import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profiles } from '../../../contract/profiles.js';
import { planPhases } from '../../../lib/phases.js';
import { planSamples } from '../../../lib/samples.js';

/** @param {import('../../../lib/phases.js').Phase[]} shape @param {string} [profile] */
const plan = (shape, profile = 'full') =>
  planPhases(shape, /** @type {any} */ (profiles[profile]), { DURATION: null, RATE_SCALE: 1, MAX_VUS: 1000 });

const soak = plan([{ name: 'soak', rate: 400, duration: '24h' }]);
const sustained = plan([{ name: 'sustained', rate: 850, duration: '30m' }]);

test('a day of load is streamed, half an hour is kept', () => {
  assert.equal(planSamples({ SAMPLES: 'auto' }, soak), 'stream');
  assert.equal(planSamples({ SAMPLES: 'auto' }, sustained), 'keep');
  assert.equal(
    planSamples({ SAMPLES: 'auto' }, plan([{ name: 'soak', rate: 400, duration: '24h' }], 'quick')),
    'keep',
  );
});

test('users without a pause are counted by what they may make, numbers of calls by themselves', () => {
  assert.equal(planSamples({ SAMPLES: 'auto' }, plan([{ name: 'a', vus: 10, duration: '60s' }])), 'keep');
  assert.equal(planSamples({ SAMPLES: 'auto' }, plan([{ name: 'a', vus: 10, duration: '1h' }])), 'stream');
  assert.equal(
    planSamples({ SAMPLES: 'auto' }, plan([{ name: 'a', vus: 200, iterations: 20_000, duration: '1h' }])),
    'keep',
  );
});

test('whoever says which gets it', () => {
  assert.equal(planSamples({ SAMPLES: 'keep' }, soak), 'keep');
  assert.equal(planSamples({ SAMPLES: 'stream' }, sustained), 'stream');
});
