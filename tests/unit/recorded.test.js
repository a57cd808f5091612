/**
 * Runs as they once were (tests/recorded), before the output lab: what the output makes of their samples is what k6's summary of then had,
 * and is judged the same.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { judge } from '../../analysis/judge.js';
import { readMeasured } from '../../analysis/measured.ts';
import { MeasuredMetrics } from '../../analysis/measured-metrics.ts';
import { command } from '../lab.js';
import { FOLDER, kept, recordedRuns, replaying } from '../recorded/recording.ts';
import { RUNS } from '../recorded/runs.js';
import { StatedMetrics, selector } from './analysis/stated-metrics.js';

const COUNTS = ['mcp_requests', 'mcp_exceptions', 'mcp_items', 'mcp_cache_hits'];
const ADDITIONAL = { before: 'mcp_further_requests', now: 'mcp_additional_requests' };
const TRENDS = ['mcp_request_duration', 'mcp_sequence_duration', 'mcp_session_duration'];
const GAUGES = ['mcp_phase_start_seconds', 'mcp_phase_end_seconds'];
/** Of k6's CSV. */
const DIGITS = 1e-6;
/** In sentences, which have three digits of them. */
const NUMBERS = /\d[\d,]*(\.\d+)?/g;
const THIRD_DIGIT = 0.01;
/** Of figures in run.json. */
const ROUNDED = 1e-3;
/** Of a histogram's bucket the middle stands for all that is in it. */
const NEAR = 0.001;

const folder = mkdtempSync(join(tmpdir(), 'recorded-'));
after(() => rmSync(folder, { recursive: true }));

const all = recordedRuns().map((name) => ({ name, files: kept(name) }));
/** Those of then, of which every sample is kept. */
const runs = all.filter(({ files }) => files['samples.csv'] !== undefined);
/** Later ones. */
const measured = all.filter(({ files }) => files['measured.json'] !== undefined);

before(async () => {
  const env = { REPLAY_FROM: FOLDER, REPLAY_TO: folder };
  const replay = ['-C', 'xk6-mcp', 'test', '-count=1', '-run', '^TestReplay$', './lab'];
  const { code, output } = await command('go', replay, env);
  assert.equal(code, 0, output);
});

test('every run that is named is recorded', () => {
  assert.deepEqual(recordedRuns(), Object.keys(RUNS).sort());
});

/**
 * @param {any} summary k6's
 * @param {MeasuredMetrics} is
 * @param {import('../../analysis/summary.js').Scope} scope
 */
function assertSame(summary, is, scope) {
  const was = new StatedMetrics(summary);
  const where = JSON.stringify(scope);
  // k6's summary has what the script asked for, by phase or by operation.
  const asked = (/** @type {string} */ name) => summary[name + selector({ ...scope })] !== undefined;
  for (const name of COUNTS.filter(asked))
    assert.equal(is.count(name, scope), was.count(name, scope), `${name} of ${where}`);
  assert.equal(is.count(ADDITIONAL.now, scope), was.count(ADDITIONAL.before, scope), where);
  assert.deepEqual(is.failed(scope), was.failed(scope), where);
  for (const name of GAUGES.filter(asked)) {
    const [now, then] = [is.gauge(name, scope).max, was.gauge(name, scope).max];
    assert.ok(Math.abs(now - then) <= DIGITS, `${name} of ${where}: ${now}, and not ${then}`);
  }
  for (const name of TRENDS.filter(asked)) {
    const [now, then] = [is.latency(scope, name), was.latency(scope, name)];
    assert.equal(now.count, then.count, `${name} of ${where}`);
    assertNear(now.latency, then.latency, `${name} of ${where}`);
  }
}

/**
 * @param {any} is
 * @param {any} was the same, but for numbers, which may be a little off, in sentences too
 * @param {string} where
 */
function assertNear(is, was, where) {
  if (typeof was === 'number' && typeof is === 'number')
    assert.ok(Math.abs(is - was) <= NEAR * Math.abs(was) + ROUNDED, `${where}: ${is}, and not ${was}`);
  else if (typeof was === 'object' && was !== null && typeof is === 'object' && is !== null) {
    assert.deepEqual(Object.keys(is), Object.keys(was), where);
    for (const key of Object.keys(was)) assertNear(is[key], was[key], `${where}.${key}`);
  } else if (typeof was === 'string' && typeof is === 'string') {
    assert.equal(is.replaceAll(NUMBERS, '#'), was.replaceAll(NUMBERS, '#'), where);
    const [numbers, before] = [is, was].map((text) =>
      [...text.matchAll(NUMBERS)].map(([one]) => Number(one.replaceAll(',', ''))),
    );
    numbers?.forEach((number, index) => {
      const value = before?.[index] ?? Number.NaN;
      assert.ok(Math.abs(number - value) <= THIRD_DIGIT * value, `${where}: ${is}, and not ${was}`);
    });
  } else assert.equal(is, was, where);
}

/**
 * @param {(typeof runs)[number]} run
 * @param {string[]} [measured] files of the output lab's that are there
 * @returns {Promise<any>} run.json
 */
async function judged({ name, files }, measured = []) {
  const { testid, verdict, environment } = JSON.parse(files['run.json'] ?? '');
  const directory = join(folder, `${name}-${measured.length}`, testid);
  mkdirSync(directory, { recursive: true });
  for (const file of ['plan.json', 'measured.json', 'seconds.jsonl', 'host-watch.json', 'k6.log'])
    if (files[file] !== undefined) writeFileSync(join(directory, file), files[file]);
  if (measured.includes('measured.json')) {
    const document = JSON.parse(readFileSync(join(folder, name, 'measured.json'), 'utf8'));
    const { plan, k6, started_ms } = JSON.parse(files['summary.json'] ?? '');
    Object.assign(document, { plan, ended: Math.floor(started_ms + k6.state.testRunDurationMs) });
    // Nobody counted for k6, which judges.
    const thresholds = new StatedMetrics(k6.metrics).thresholds();
    document.thresholds = thresholds.map(({ metric, expression, ok }) => ({
      ...{ metric, threshold: expression, passed: ok, hasSamples: true },
    }));
    writeFileSync(join(directory, 'measured.json'), JSON.stringify(document));
  }
  if (measured.includes('seconds.jsonl'))
    cpSync(join(folder, name, 'seconds.jsonl'), join(directory, 'seconds.jsonl'));
  const told = JSON.parse(files['told.json'] ?? '');
  const code = await replaying(JSON.parse(files['prometheus.json'] ?? ''), () =>
    judge({
      directory,
      prometheus: 'http://127.0.0.1:9',
      print: () => {},
      on: environment,
      ...told,
    }),
  );
  assert.equal(code, verdict.exit_code);
  return withoutPrecision(JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8')));
}

/**
 * What seconds show and Prometheus did not, whose samples are two seconds apart, and its buckets 9 % wide.
 *
 * @type {Record<string, string[]>}
 */
const BESIDES = { payload: ['bottleneck unknown 2-kb not_enough_to_tell'] };

/** How fine percentiles are says how they were counted; latencies by outcome are later than these runs. @param {any} run */
const withoutPrecision = ({ streamed: _, ...run }) => ({
  ...run,
  phases: run.phases.map((/** @type {any} */ { calls: _, outcomes: __, ...rest }) => rest),
  measurements: run.measurements.map((/** @type {any} */ { precision: _, ...rest }) => rest),
});

for (const run of measured)
  test(`${run.name}, as it was measured`, async () =>
    assert.deepEqual(await judged(run), withoutPrecision(JSON.parse(run.files['run.json'] ?? ''))));

/** @param {any} finding */
const nameOf = ({ kind, subject, phase, confidence }) => [kind, subject, phase, confidence].join(' ');

for (const run of runs)
  test(run.name, async (t) => {
    const { files } = run;
    const then = withoutPrecision(JSON.parse(files['run.json'] ?? ''));
    await t.test('measured', () => {
      const { plan, k6 } = JSON.parse(files['summary.json'] ?? '');
      const was = new StatedMetrics(k6.metrics);
      const measured = readMeasured(join(folder, run.name));
      assert.ok(measured);
      const is = new MeasuredMetrics([measured]);
      assertSame(k6.metrics, is, {});
      for (const { operation } of plan.operations) assertSame(k6.metrics, is, { operation });
      for (const { name: phase } of plan.phases.filter((/** @type {any} */ one) => one.measured)) {
        const scope = { phase };
        assertSame(k6.metrics, is, scope);
        assert.deepEqual(is.failures(scope), was.failures(scope), phase);
        const iterations = [is.count('iterations', scope), is.count('dropped_iterations', scope)];
        const before = [was.count('iterations', scope), was.count('dropped_iterations', { scenario: phase })];
        assert.deepEqual(iterations, before, phase);
      }
    });

    await t.test('judged from what was measured', async () => {
      const now = await judged(run, ['measured.json']);
      assertNear(now, then, 'run');
    });

    await t.test('and from its seconds', async () => {
      const now = await judged(run, ['measured.json', 'seconds.jsonl']);
      const apart = { findings: null, headline: null };
      assertNear({ ...now, ...apart }, { ...then, ...apart }, 'run');
      const besides = new Set(BESIDES[run.name]);
      const names = now.findings.map(nameOf).filter((/** @type {string} */ name) => !besides.delete(name));
      assert.deepEqual(names, then.findings.map(nameOf));
      assert.deepEqual([...besides], []);
    });
  });
