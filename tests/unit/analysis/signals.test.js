import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  expectedOf,
  SOURCES,
  signalsOf,
  statistics,
  steadyWindow,
} from '../../../analysis/collect/signals.ts';

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
 * @returns {import('../../../analysis/collect/prometheus.ts').Series}
 */
const series = (name, values, labels = {}) => ({
  labels: { __name__: name, ...labels },
  points: values.map((value, index) => [index * 2, value]),
});

test('name and unit come from the series, another run of the generator is left out', () => {
  const { signals, ambiguous } = signalsOf(
    [
      series('signal:pool_utilization:ratio', [0.5, 1]),
      series('signal:generator_cpu:ratio', [0.1], { testid: 'ours' }),
      series('signal:generator_cpu:ratio', [0.9], { testid: 'theirs' }),
      series('signal:empty:count', []),
    ],
    { testid: 'ours', server: '' },
    'spike',
  );
  assert.deepEqual(ambiguous, []);
  assert.deepEqual(signals, [
    {
      signal: 'pool_utilization',
      phase: 'spike',
      unit: 'ratio',
      min: 0.5,
      avg: 0.75,
      p95: 1,
      max: 1,
      samples: 2,
    },
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

test('of several sources the first in the list is taken, for each signal by itself', () => {
  const several = [
    series('signal:cpu:ratio', [0.5], { server: 'a:1', source: 'cadvisor' }),
    series('signal:cpu:ratio', [0.25], { server: 'a:1', source: 'process' }),
    series('signal:cpu_throttled:ratio', [0.125], { server: 'a:1', source: 'cadvisor' }),
    // A rule of the user's own, and one whose source the list does not know.
    series('signal:memory:bytes', [1], { server: 'a:1' }),
    series('signal:memory:bytes', [2], { server: 'a:1', source: 'process' }),
    series('signal:sessions:count', [3], { server: 'a:1', source: 'mine' }),
    // Another server's.
    series('signal:cpu:ratio', [1], { server: 'b:1', source: 'process' }),
  ];
  const { signals, ambiguous } = signalsOf(several, { testid: 't', server: 'a:1' }, 'p');
  assert.deepEqual(
    signals.map(({ signal, avg }) => [signal, avg]),
    [
      ['cpu', 0.25],
      ['cpu_throttled', 0.125],
      ['memory', 1],
      ['sessions', 3],
    ],
  );
  assert.deepEqual(ambiguous, []);
  const twice = [
    series('signal:cpu:ratio', [0.5], { source: 'process', pod: 'a' }),
    series('signal:cpu:ratio', [0.5], { source: 'process', pod: 'b' }),
  ];
  assert.deepEqual(signalsOf(twice, { testid: 't', server: '' }, 'p').ambiguous, ['cpu']);
});

test('what a server is expected to have: by its own rules, or by those for all that have none', () => {
  /** @type {{name: string, labels: Record<string, string>}[]} */
  const rules = [
    { name: 'signal:host_cpu:ratio', labels: {} },
    { name: 'signal:cpu:ratio', labels: { server: 'reference' } },
    { name: 'signal:open_files:ratio', labels: { source: 'process' } },
  ];
  assert.deepEqual(expectedOf(rules, 'reference'), ['signal:host_cpu:ratio', 'signal:cpu:ratio']);
  assert.deepEqual(expectedOf(rules, 'a:1'), ['signal:host_cpu:ratio', 'signal:open_files:ratio']);
  assert.deepEqual(expectedOf(rules, ''), ['signal:host_cpu:ratio', 'signal:cpu:ratio']);
});

test('the list of sources is that of the rule files', () => {
  const folder = 'provisioning/prometheus/rules';
  const rules = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
  const sources = rules.flatMap((text) =>
    [...text.matchAll(/^ +(?:labels: \{ )?source: ([\w-]+)/gm)].map(([, source]) => source),
  );
  assert.deepEqual([...new Set(['', ...sources])].sort(), [...SOURCES].sort());
});
