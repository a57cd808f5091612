import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findingsOf } from '../../../scenarios/long-calls/findings.ts';
import { withDuration, workload } from '../../../workloads/long-calls.js';

/**
 * @typedef {import('../../../scenarios/long-calls/rows.ts').Row} Row
 * @typedef {import('../../../scenarios/long-calls/rows.ts').Retry} Retry
 */

/** @param {number} seconds @param {Row['way']} way @param {Partial<Row>} [own] @returns {Row} three calls, which take as long as they should */
const row = (seconds, way, own) => ({
  ...{ seconds, way, calls: 3, failed: 0, kinds: {}, took: Array(3).fill(seconds * 1000), waited: [] },
  ...{ reports: way === 'progress' ? 3 * seconds : 0, firstReportMs: way === 'progress' ? 1000 : null },
  ...own,
});

/** @param {number} seconds @param {Row['way']} way @param {number[]} waited @param {Partial<Row>} [own] */
const failed = (seconds, way, waited, own) =>
  row(seconds, way, { failed: waited.length, kinds: { http_5xx: waited.length }, took: [], waited, ...own });

/** @param {number} seconds @param {Partial<Row>} [own] */
const both = (seconds, own) => [row(seconds, 'silent', own), row(seconds, 'progress', own)];

/** @param {Row[]} rows @param {Partial<Retry>} [retry] */
const statements = (rows, retry) =>
  findingsOf(
    rows,
    retry
      ? { aloneMs: 4000, retriedMs: 4000, givenUpMs: 1500, aloneCpu: null, retriedCpu: null, ...retry }
      : null,
  ).map(({ statement }) => statement);

test('all calls succeed', () => {
  assert.deepEqual(statements([...both(1), ...both(125)]), [
    'calls of up to 2 min 5 s succeed, with progress and without',
  ]);
});

test('an idle limit: progress keeps calls alive', () => {
  const cut = [61, 125].map((seconds) => failed(seconds, 'silent', [60_001, 60_010, 60_020]));
  assert.deepEqual(statements([...both(30), ...cut, row(61, 'progress'), row(125, 'progress')]), [
    'calls of up to 30 s succeed without progress, calls of up to 2 min 5 s with progress',
    'the server or an intermediary closes calls without progress after 1 min: 6 of 6 calls of 1 min 1 s or more failed (http_5xx)',
  ]);
});

test('a limit on the whole call: progress does not help', () => {
  const cut = [failed(61, 'silent', [60_000, 60_010]), failed(61, 'progress', [60_000, 60_010])];
  const [, , despite] = statements([...both(30), ...cut]);
  assert.match(
    despite ?? '',
    /^the server .* closes calls with progress, although 183 notifications arrived, after 1 min/,
  );
});

test('calls that fail after different times have no limit in common', () => {
  const [, statement] = statements([...both(1), failed(30, 'silent', [2000, 11_000, 25_000])]);
  assert.equal(
    statement,
    'calls without progress fail after different times: 3 of 3 calls of 30 s or more failed (http_5xx)',
  );
});

test('progress that is not sent, or held back until the result', () => {
  assert.ok(
    statements(both(10, { reports: 0, firstReportMs: null })).includes('no progress notifications arrive'),
  );
  assert.match(
    statements(both(10, { firstReportMs: 9900 })).join(),
    /progress arrives only with the result: the first notification of a call of 10 s arrived after 9.9 s/,
  );
});

test('calls that run one after the other', () => {
  assert.ok(
    statements(both(10, { took: [10_000, 20_000, 30_000] })).includes(
      'calls queue: a call of 10 s took 30 s',
    ),
  );
});

test('calls whose length ARGS does not control: nothing else is said', () => {
  assert.deepEqual(statements(both(10, { took: [3, 3, 4] }), {}), [
    'calls of 10 s took 3 ms: ARGS does not control how long the tool takes',
  ]);
});

describe('a retry', () => {
  const prefix = 'a retry of a call that the client abandoned after 1.5 s';
  for (const [retry, expected] of /** @type {[Partial<Retry>, string][]} */ ([
    [{}, `${prefix} does the work again: it took 4 s`],
    [{ retriedMs: 2000 }, `${prefix} gets the result of the first call: it took 2 s instead of 4 s`],
    [
      { retriedMs: 6000 },
      `${prefix} waits for the first call, which the server does not stop: it took 6 s instead of 4 s`,
    ],
    [
      { aloneCpu: 0.25, retriedCpu: 0.4 },
      `${prefix} runs alongside the first call, which the server does not stop: CPU 25 % -> 40 %`,
    ],
    [{ aloneCpu: 0.01, retriedCpu: 0.02 }, `${prefix} does the work again: it took 4 s`],
  ]))
    test(expected.slice(prefix.length + 1), () => {
      assert.equal(statements(both(10), retry).at(-1), expected);
    });
});

test('ARGS gets the duration as a number, or in a text', () => {
  const template = { for: 'SECONDS', list: [{ ms: 'MILLISECONDS' }], text: 'PT{SECONDS}S', other: null };
  assert.deepEqual(withDuration(template, 1.5), {
    ...{ for: 1.5, list: [{ ms: 1500 }], text: 'PT{1.5}S', other: null },
  });
});

test('without TOOL and ARGS the reference target is called', () => {
  assert.equal(workload({}, '2s').operations.silent?.tool, 'run_job');
  const { progress, given_up } = workload({ TOOL: 'job', ARGS: '{"ms":"MILLISECONDS"}' }, '2s').operations;
  assert.deepEqual([progress?.tool, progress?.progress, given_up?.abandon_after], ['job', true, '2s']);
  assert.deepEqual(progress?.args?.({ seconds: 2 }), { ms: 2000 });
});
