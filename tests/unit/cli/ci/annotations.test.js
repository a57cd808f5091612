import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { annotationsOfComparison, annotationsOfRun } from '../../../../cli/ci/annotations.ts';

const read = (/** @type {string} */ name) => JSON.parse(readFileSync(`docs/reports/${name}`, 'utf8'));

test('a run that failed: its verdict is an error, what limited it a warning', () => {
  const all = annotationsOfRun(read('pool-limited-spike/run.json'));
  assert.deepEqual(all[0], {
    level: 'error',
    title: 'load test spike: fail',
    message: read('pool-limited-spike/run.json').verdict.reasons.join('\n'),
  });
  assert.equal(all[1]?.level, 'warning');
  assert.equal(all[1]?.title, 'bottleneck: connection pool in spike');
  assert.match(all[1]?.message ?? '', /^the connection pool limited the run in spike/);
  assert.ok(all.every(({ title }) => !title.startsWith('note')));
});

test('a run that passed warns of nothing', () => {
  const run = read('pool-limited-spike/run.json');
  run.verdict = { outcome: 'pass', exit_code: 0, reasons: ['1 threshold held'] };
  const all = annotationsOfRun(run);
  assert.ok(all.length > 1);
  assert.deepEqual([...new Set(all.map(({ level }) => level))], ['notice']);
});

test('an inconclusive finding is not shown', () => {
  const run = read('pool-limited-spike/run.json');
  for (const finding of run.findings) finding.confidence = 'inconclusive';
  assert.equal(annotationsOfRun(run).length, 1);
});

test('a comparison names the baseline', () => {
  const reasons = ['throughput in load is worse', 'p99 in load is worse'];
  const verdict = { outcome: 'fail', exit_code: 99, reasons };
  assert.deepEqual(annotationsOfComparison(/** @type {any} */ ({ base: { given: 'main' }, verdict })), [
    { level: 'error', title: 'compared with main: fail', message: reasons.join('\n') },
  ]);
});
