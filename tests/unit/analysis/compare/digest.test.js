import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  difference,
  digestOf,
  otherMachine,
  parseKey,
  refusal,
  seriesKey,
} from '../../../../analysis/compare/digest.ts';
import { near } from '../build.js';
import { digest, run } from './build.js';

test('one run gives one number of each metric', async () => {
  const { values, testid, commit, conditions } = await digest({ p99: 50, failures: { timeout: 20 } });
  assert.equal(testid, 'spike-1');
  assert.equal(commit, '0123456789ab');
  near(values, {
    'phase/calm/throughput': 100,
    'phase/calm/p50': 25,
    'phase/calm/p95': 45,
    'phase/calm/p99': 50,
    'phase/calm/failure_rate': 0.009901,
    'phase/calm/memory': 100e6,
    'phase/calm/gc': 0.002,
  });
  assert.deepEqual(
    conditions.phases.map(({ name }) => name),
    ['calm'],
    'the warm-up is no part of it',
  );
});

test('a percentile of too few requests is none', async () => {
  const { values } = await digest({ answered: 60 });
  assert.ok('phase/calm/p95' in values);
  assert.ok(!('phase/calm/p99' in values));
});

test('memory per connection is what a test of connections found', async () => {
  const document = await run();
  document.findings.push({
    kind: 'note',
    subject: 'connections',
    phase: null,
    confidence: 'high',
    statement: 'x',
    figures: { memory_mib_per_conn: 0.5 },
    evidence: [],
  });
  assert.equal(digestOf(document).values['run//memory_per_connection'], 0.5 * 1024 ** 2);
});

test('a key is its name again, whatever an operation is called', () => {
  for (const name of ['get_user', 'resource/a/b.md', '']) {
    const series = { of: /** @type {const} */ ('operation'), name, metric: 'p99' };
    assert.deepEqual(parseKey(seriesKey(series)), series);
  }
});

test('runs that failed, are invalid or broke are refused; failed ones may be let in', async () => {
  const of = async (/** @type {'fail' | 'invalid' | 'error'} */ outcome, includeFailed = false) =>
    refusal(await digest({ verdict: { outcome, reasons: ['for this'] } }), { includeFailed });
  assert.equal(refusal(await digest(), { includeFailed: false }), null);
  assert.equal(await of('fail'), 'failed: for this');
  assert.equal(await of('fail', true), null);
  assert.equal(await of('invalid', true), 'invalid: for this');
  assert.equal(await of('error', true), 'error: for this');
});

test('runs of something else are distinguished, in words', async () => {
  const one = await digest();
  assert.equal(difference(one, await digest({ testid: 'other', p99: 90 })), null);
  assert.equal(
    difference(one, await digest({ testid: 'other', rate: 200 })),
    'phase calm: 100/s in spike-1, 200/s in other',
  );
  const changed = await digest({ testid: 'other' });
  const because = (/** @type {Partial<typeof changed.conditions>} */ conditions) =>
    difference(one, { ...changed, conditions: { ...changed.conditions, ...conditions } });
  assert.equal(because({ profile: 'full' }), 'profile: smoke in spike-1, full in other');
  assert.equal(because({ dialect: 'rest' }), "the target's dialect: mcp in spike-1, rest in other");
  assert.equal(because({ phases: [] }), 'measured phases: calm in spike-1,  in other');
  const [calm] = changed.conditions.phases;
  assert.ok(calm);
  assert.equal(because({ phases: [{ ...calm, duration_s: 20.4 }] }), null);
  assert.equal(
    because({ phases: [{ ...calm, duration_s: 40 }] }),
    'phase calm: 20 s in spike-1, 40 s in other',
  );
});

test('another machine is named', async () => {
  const one = await digest();
  const memory = 8 * 1024 ** 3;
  assert.deepEqual(otherMachine(one, await digest({ environment: { memory_bytes: memory - 1e6 } })), []);
  assert.deepEqual(otherMachine(one, await digest({ environment: { cores: 8, cpu: 'another' } })), [
    'CPU a CPU and another',
    'cores 4 and 8',
  ]);
});
