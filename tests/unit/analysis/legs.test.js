import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { failures } from '../../../analysis/failures.ts';
import { inScope, latenciesOf, total } from '../../../analysis/groups.ts';
import { LegsError, readLegLogs, readLegSummaries, readLegs } from '../../../analysis/legs.ts';
import { phases } from '../../../analysis/phases.ts';
import { judgeThresholds } from '../../../analysis/thresholds.ts';
import { histogramOf, measuredDocument, objective, runOf, STARTED_MS } from './build.js';

const folder = mkdtempSync(join(tmpdir(), 'legs-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} name @param {any} spec measured.json @param {Partial<import('../../../analysis/legs.ts').Leg>} [rest] */
function leg(name, spec, rest = {}) {
  const path = join(folder, 'legs', name);
  mkdirSync(path, { recursive: true });
  if (spec) writeFileSync(join(path, 'measured.json'), JSON.stringify(spec));
  return { name, labels: {}, folder: join('legs', name), judged: true, code: 0, events: [], ...rest };
}

/** @param {string} name @param {number} startedMs @param {number} p99 */
function measured(name, startedMs, p99) {
  const document = measuredDocument({
    startedMs,
    phases: [
      { name: `${name}-warm-up`, measured: false, duration_s: 5 },
      { name, duration_s: 10, figures: { iterations: 100, p99 } },
    ],
    objectives: [objective(name, 'p99_ms', '<', 100, { k6: { metric: name, expression: 'rate<1' } })],
  });
  const read = { phase: name, operation: 'get_user', requests: 100, duration: histogramOf(p99, 100) };
  return { ...document, vusMax: p99, groups: [...document.groups, read] };
}

test('the legs of a test are one summary on one time axis; what does not count is not judged', () => {
  const legs = {
    result: { found: 1 },
    error: null,
    legs: [
      leg('one', measured('one', STARTED_MS, 50)),
      leg('two', measured('two', STARTED_MS + 60_000, 150)),
      leg('three', measured('three', STARTED_MS + 120_000, 250), { judged: false }),
    ],
  };
  writeFileSync(join(folder, 'legs.json'), JSON.stringify(legs));
  assert.deepEqual(readLegs(folder), legs);
  const { runs, summary, summaryProblem } = readLegSummaries(folder, legs);
  assert.equal(summaryProblem, null);
  assert.ok(summary);
  assert.equal(summary.startedMs, STARTED_MS);
  assert.equal(summary.ranS, 135);
  const all = runs.flatMap((one) => phases(one));
  assert.deepEqual(
    all.map(({ name, start, latency_ms }) => [name, start, Math.round(latency_ms?.p99 ?? 0)]),
    [
      ['one-warm-up', '2026-01-02T03:04:05.000Z', 0],
      ['one', '2026-01-02T03:04:10.000Z', 50],
      ['two-warm-up', '2026-01-02T03:05:05.000Z', 0],
      ['two', '2026-01-02T03:05:10.000Z', 150],
      ['three-warm-up', '2026-01-02T03:06:05.000Z', 0],
      ['three', '2026-01-02T03:06:10.000Z', 250],
    ],
  );
  assert.deepEqual(
    judgeThresholds({ ...summary, phases: all }).map(({ scope, outcome }) => [scope.phase, outcome]),
    [
      ['one', 'pass'],
      ['two', 'fail'],
    ],
  );
  const read = inScope(summary.groups, { operation: 'get_user' });
  assert.equal(total(read, 'requests'), 300);
  assert.equal(Math.round(latenciesOf(read).latency?.p50 ?? 0), 150);
  assert.equal(summary.thresholds.length, 2);
  assert.equal(summary.vusMax, 250);
});

test('a failure began in the leg that had it, as long after the first one as it did', () => {
  const failing = measuredDocument({
    startedMs: STARTED_MS + 60_000,
    phases: [{ name: 'two', duration_s: 10, figures: { iterations: 100, failures: { tool: 3 }, p99: 50 } }],
  });
  failing.groups[1].failedAt = { tool: [STARTED_MS + 64_000, STARTED_MS + 66_500] };
  const legs = {
    ...{ result: null, error: null },
    legs: [leg('one', measured('one', STARTED_MS, 50)), leg('two', failing)],
  };
  const { runs, summary } = readLegSummaries(folder, legs);
  const all = runs.flatMap((one) => phases(one));
  const [found] = failures(summary?.groups ?? [], STARTED_MS, all, {});
  assert.deepEqual(
    [found?.count, found?.first, found?.first_s, found?.last_s, found?.first_phase],
    [3, '2026-01-02T03:05:09.000Z', 64, 66.5, 'two'],
  );
});

test('a leg that left nothing is named; none at all is said, too', () => {
  const rest = { result: null, error: null };
  const legs = { ...rest, legs: [leg('one', measured('one', STARTED_MS, 50)), leg('lost', null)] };
  assert.equal(readLegSummaries(folder, legs).summaryProblem, 'lost: k6 left no measured.json');
  assert.equal(readLegSummaries(folder, { ...rest, legs: [] }).summaryProblem, 'no leg ran');
  assert.equal(readLegs(join(folder, 'legs')), null);
});

test('of the logs the first sample of each kind of failure', async () => {
  const legs = { result: null, error: null, legs: [leg('one', null), leg('two', null)] };
  writeFileSync(join(folder, 'legs/one/k6.log'), 'failure tool of get_user: first\n');
  writeFileSync(
    join(folder, 'legs/two/k6.log'),
    'failure tool of get_user: second\nfailure timeout of x: late\n',
  );
  const log = await readLegLogs(folder, legs);
  assert.deepEqual(log.samples, { tool: 'get_user: first', timeout: 'x: late' });
});

test('an experiment that could not go on is an error with its own words', async () => {
  const { verdict } = await runOf({
    legs: { legs: [], result: null, error: 'the gateway did not start' },
    k6Exit: 1,
  });
  assert.deepEqual(verdict, { outcome: 'error', exit_code: 1, reasons: ['the gateway did not start'] });
});

test('what can not be read of the legs is one line', () => {
  for (const [text, message] of [
    ['{"legs":[', /^legs\.json is not JSON/],
    ['{"legs":{},"error":null}', /^legs\.json does not say which legs there were: \/legs must be array$/],
    [
      JSON.stringify({
        legs: [{ name: 'a', labels: {}, folder: '../x', judged: true, code: 0, events: [] }],
        error: null,
      }),
      /\/legs\/0\/folder must match/,
    ],
  ]) {
    writeFileSync(join(folder, 'legs.json'), String(text));
    assert.throws(() => readLegs(folder), {
      constructor: LegsError,
      message: /** @type {RegExp} */ (message),
    });
  }
});
