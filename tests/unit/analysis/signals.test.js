import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signalsOf, statistics, steadyWindow } from '../../../analysis/signals.js';

test('a phase is read where the look-back lies in it; a short one around its end', () => {
  assert.deepEqual(steadyWindow(100, 160), { fromS: 108, toS: 160 });
  assert.deepEqual(steadyWindow(100, 112.5), { fromS: 108, toS: 112.5 });
  assert.deepEqual(steadyWindow(100, 112), { fromS: 108, toS: 114 });
  assert.deepEqual(steadyWindow(100, 105), { fromS: 104.5, toS: 107 });
});

test('statistics of the raw points; p95 by nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.deepEqual(statistics(hundred), { min: 1, avg: 50.5, p95: 95, max: 100, samples: 100 });
  assert.deepEqual(statistics([3]), { min: 3, avg: 3, p95: 3, max: 3, samples: 1 });
  // Numbers, not text: 9 is less than 10.
  assert.deepEqual(statistics([10, 9]), { min: 9, avg: 9.5, p95: 10, max: 10, samples: 2 });
});

/**
 * @param {string} name
 * @param {number[]} values
 * @param {Record<string, string>} [labels]
 * @returns {import('../../../analysis/prometheus.js').Series}
 */
const series = (name, values, labels = {}) => ({
  labels: { __name__: name, ...labels },
  points: values.map((value, index) => [index * 2, value]),
});

test('name and unit come from the series, another run of the generator is left out', () => {
  const { signals, ambiguous } = signalsOf(
    [
      series('signal:pool_used:ratio', [0.5, 1]),
      series('signal:generator_cpu:ratio', [0.1], { testid: 'ours' }),
      series('signal:generator_cpu:ratio', [0.9], { testid: 'theirs' }),
      series('signal:empty:count', []),
    ],
    { testid: 'ours', server: '' },
    'spike',
  );
  assert.deepEqual(ambiguous, []);
  assert.deepEqual(signals, [
    { signal: 'pool_used', phase: 'spike', unit: 'ratio', min: 0.5, avg: 0.75, p95: 1, max: 1, samples: 2 },
    {
      signal: 'generator_cpu',
      phase: 'spike',
      unit: 'ratio',
      min: 0.1,
      avg: 0.1,
      p95: 0.1,
      max: 0.1,
      samples: 1,
    },
  ]);
});

test('two series under one name are not averaged but named', () => {
  const twice = [
    series('signal:cpu:ratio', [0.1], { pod: 'a' }),
    series('signal:cpu:ratio', [0.9], { pod: 'b' }),
  ];
  assert.deepEqual(signalsOf(twice, { testid: 't', server: '' }, 'p'), { signals: [], ambiguous: ['cpu'] });
});

test('the signals of another server are left out, those of nobody in particular are not', () => {
  const both = [
    series('signal:cpu:ratio', [0.5], { server: 'reference' }),
    series('signal:host_cpu:ratio', [1]),
  ];
  const names = (/** @type {string} */ server) =>
    signalsOf(both, { testid: 't', server }, 'p').signals.map(({ signal }) => signal);
  assert.deepEqual(names('reference'), ['cpu', 'host_cpu']);
  assert.deepEqual(names(''), ['host_cpu']);
});
