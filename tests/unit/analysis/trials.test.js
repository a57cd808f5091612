import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inScope, latenciesOf, total } from '../../../analysis/collect/groups.ts';
import {
  readTrialLogs,
  readTrialSummaries,
  readTrials,
  TrialsError,
} from '../../../analysis/collect/trials.ts';
import { failures } from '../../../analysis/judge/failures.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { judgeThresholds } from '../../../analysis/judge/thresholds.ts';
import { histogramOf, measuredDocument, objective, runOf, STARTED_MS } from './build.js';

const folder = mkdtempSync(join(tmpdir(), 'trials-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} name @param {any} spec measured.json @param {Partial<import('../../../analysis/collect/trials.ts').Trial>} [rest] */
function trial(name, spec, rest = {}) {
  const path = join(folder, 'trials', name);
  mkdirSync(path, { recursive: true });
  if (spec) writeFileSync(join(path, 'measured.json'), JSON.stringify(spec));
  return { name, labels: {}, folder: join('trials', name), judged: true, code: 0, events: [], ...rest };
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

test('the trials of a test are one summary on one time axis; what does not count is not judged', () => {
  const trials = {
    result: { found: 1 },
    error: null,
    trials: [
      trial('one', measured('one', STARTED_MS, 50)),
      trial('two', measured('two', STARTED_MS + 60_000, 150)),
      trial('three', measured('three', STARTED_MS + 120_000, 250), { judged: false }),
    ],
  };
  writeFileSync(join(folder, 'trials.json'), JSON.stringify(trials));
  assert.deepEqual(readTrials(folder), trials);
  const { runs, summary, summaryProblem } = readTrialSummaries(folder, trials);
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

test('a failure began in the trial that had it, as long after the first one as it did', () => {
  const failing = measuredDocument({
    startedMs: STARTED_MS + 60_000,
    phases: [{ name: 'two', duration_s: 10, figures: { iterations: 100, failures: { tool: 3 }, p99: 50 } }],
  });
  failing.groups[1].failedAt = { tool: [STARTED_MS + 64_000, STARTED_MS + 66_500] };
  const trials = {
    ...{ result: null, error: null },
    trials: [trial('one', measured('one', STARTED_MS, 50)), trial('two', failing)],
  };
  const { runs, summary } = readTrialSummaries(folder, trials);
  const all = runs.flatMap((one) => phases(one));
  const [found] = failures(summary?.groups ?? [], STARTED_MS, all, {});
  assert.deepEqual(
    [found?.count, found?.first, found?.first_s, found?.last_s, found?.first_phase],
    [3, '2026-01-02T03:05:09.000Z', 64, 66.5, 'two'],
  );
});

test('a trial that left nothing is named; none at all is said, too', () => {
  const rest = { result: null, error: null };
  const trials = { ...rest, trials: [trial('one', measured('one', STARTED_MS, 50)), trial('lost', null)] };
  assert.equal(readTrialSummaries(folder, trials).summaryProblem, 'lost: k6 left no measured.json');
  assert.equal(readTrialSummaries(folder, { ...rest, trials: [] }).summaryProblem, 'no trial ran');
  assert.equal(readTrials(join(folder, 'trials')), null);
});

test('of the logs the first sample of each kind of failure', async () => {
  const trials = { result: null, error: null, trials: [trial('one', null), trial('two', null)] };
  writeFileSync(join(folder, 'trials/one/k6.log'), 'failure tool of get_user: first\n');
  writeFileSync(
    join(folder, 'trials/two/k6.log'),
    'failure tool of get_user: second\nfailure timeout of x: late\n',
  );
  const log = await readTrialLogs(folder, trials);
  assert.deepEqual(log.samples, { tool: 'get_user: first', timeout: 'x: late' });
});

test('a test of several k6 runs that could not go on is an error with its own words', async () => {
  const { verdict } = await runOf({
    trials: { trials: [], result: null, error: 'the gateway did not start' },
    k6Exit: 1,
  });
  assert.deepEqual(verdict, { outcome: 'error', exit_code: 1, reasons: ['the gateway did not start'] });
});

test('what can not be read of the trials is one line', () => {
  for (const [text, message] of [
    ['{"trials":[', /^trials\.json cannot be read as JSON/],
    ['{"trials":{},"error":null}', /^trials\.json does not match its schema: \/trials must be array$/],
    [
      JSON.stringify({
        trials: [{ name: 'a', labels: {}, folder: '../x', judged: true, code: 0, events: [] }],
        error: null,
      }),
      /\/trials\/0\/folder must match/,
    ],
  ]) {
    writeFileSync(join(folder, 'trials.json'), String(text));
    assert.throws(() => readTrials(folder), {
      constructor: TrialsError,
      message: /** @type {RegExp} */ (message),
    });
  }
});
