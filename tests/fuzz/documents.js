import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { collect } from '../../analysis/collect/collect.ts';
import { COLUMNS } from '../../analysis/collect/host-watch-record.ts';
import { watchedOverTime } from '../../analysis/collect/host-watch-series.ts';
import { validatePlan } from '../../analysis/collect/plan.ts';
import { validateTimeline } from '../../analysis/collect/timeline.ts';
import { TrialsError } from '../../analysis/collect/trials.ts';
import { compare } from '../../analysis/compare/comparison.ts';
import { digestOf } from '../../analysis/compare/digest.ts';
import { renderTerminal as renderComparison } from '../../analysis/compare/terminal.ts';
import { validateRun } from '../../analysis/judge/run.ts';
import { renderCsv } from '../../analysis/render/csv.ts';
import { renderJunit } from '../../analysis/render/junit.ts';
import { renderMarkdown } from '../../analysis/render/markdown.ts';
import { renderPlan } from '../../analysis/render/plan.ts';
import { renderTerminal } from '../../analysis/render/terminal.ts';
import { pageOfRun } from '../../analysis/report/run-page.ts';
import { documentOf } from '../../page/document.ts';
import { measuredDocument, objective, runOf } from '../unit/analysis/build.js';
import { anyJson, changed, damagedText, nearly } from './generated.js';
import { isOneLine } from './oracles.js';
import { property } from './property.js';
import { scratchFolder } from './scratch-folder.js';

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const json = (/** @type {string} */ path) => JSON.parse(readFileSync(here(path), 'utf8'));

const REPORT = '../../docs/reports/pool-limited-spike';
const RUNS = [json(`${REPORT}/run.json`)];
const TIMELINES = [json(`${REPORT}/timeline.json`)];

/** One run that passes, of two phases; each figure that its objectives are about is in `NEEDED`. */
const PASSING = measuredDocument({
  phases: [
    { name: 'warm-up', measured: false },
    { name: 'a', figures: {} },
    { name: 'b', figures: {} },
  ],
  objectives: [objective('a', 'p99_ms', '<', 85), objective('b', 'failure_rate', '<', 0.01)],
});
const START_S = PASSING.began / 1000;
/** 1 ms, as a bucket in base 36. */
const MS = (1023 * 512).toString(36);
/** One with all that the output lab writes. */
const MEASURED = {
  ...PASSING,
  servers: [{ url: 'http://127.0.0.1:1/mcp', protocolVersion: '2026-07-28', name: 'x', version: '1' }],
  end: { reason: 'finished', exitCode: 0, message: 'done' },
  timerLateness: `${MS}*9`,
  groups: [
    {
      ...{ phase: 'a', operation: 'get', class: 'read', requests: 201, failed: 1, failures: { tool: 1 } },
      ...{ failedAt: { tool: [PASSING.began, PASSING.began + 5] }, duration: `${MS}*5j 1 80` },
      slow: { 85: { trues: 1, total: 200 } },
    },
    { phase: 'b', operation: 'get', class: 'read', requests: 200, additional: 1, duration: `${MS}*5k` },
    {
      ...{ phase: 'b', operation: '', started: 200, iterations: 200, dropped: 3 },
      bytesSent: 9,
    },
    {
      ...{ phase: '', operation: '' },
      metrics: { mcp_started_seconds: { range: [START_S, START_S] }, own: { sum: 7 } },
    },
  ],
  thresholds: [
    {
      ...{ metric: 'mcp_request_failed{phase:b}', threshold: 'rate<0.01', passed: true, hasSamples: true },
      share: { trues: 0, total: 200 },
    },
  ],
};
const ALL_MEASURED = [PASSING, MEASURED];
/** What each objective reads: the phase, the field of its group. */
const NEEDED = [
  ['a', 'duration'],
  ['b', 'failed'],
  ['b', 'requests'],
];

const TRIALS = {
  trials: [
    {
      name: 'one',
      labels: { items: 10 },
      folder: 'one',
      judged: true,
      code: 0,
      events: [{ time_ms: 1767323045000, kind: 'fault' }],
    },
    { name: 'two', labels: {}, folder: 'two', judged: false, code: 0, events: [] },
  ],
  result: null,
  error: null,
};

const WATCH = {
  schema: 'mcp-load-lab/host-watch/1',
  cores: 2,
  target: 'own',
  jumps: [{ at_s: START_S + 5, by_s: 2 }],
  columns: COLUMNS,
  points: Array.from({ length: 32 }, (_, n) => [
    START_S + 2 * n,
    ...Array.from({ length: 12 }, (_, i) => (i + 1) * n * 0.05),
    n * 0.01,
    n,
  ]),
  others: Array.from({ length: 32 }, (_, n) => (n % 2 ? [] : [['cc1', 0.1]])),
};

const LOG = [
  'time="2026-01-02T03:04:10Z" level=error msg="Failed to send the time series data to the endpoint" error="x"',
  'time="2026-01-02T03:04:11Z" level=error msg="failure tool of echo: no such place" source=console',
  'time="2026-01-02T03:04:12Z" level=error msg="test aborted: exit 3: http://127.0.0.1:1 can\'t be reached"',
  'failure timeout of get_user: request timeout',
  '\tat default (file:///x.js:1:2)',
].join('\n');

const scratch = scratchFolder('mcp-load-lab-fuzz-');

/**
 * @param {Record<string, string>} files by path
 * @returns {string} a folder with these alone
 */
function folderWith(files) {
  const folder = join(scratch, 'run');
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Everything that is made of a run document.
 *
 * @param {any} run of the schema
 * @param {any} timeline
 */
function allOf(run, timeline) {
  const texts = {
    markdown: renderMarkdown(run),
    junit: renderJunit(run),
    csv: renderCsv(run),
    report: documentOf(pageOfRun(run, timeline)),
    terminal: renderTerminal(run, { directory: 'x', colours: false }),
  };
  // What stands in a document is told; what does not is not made up.
  const given = JSON.stringify(run);
  for (const [name, text] of Object.entries(texts)) {
    const prose = name === 'report' ? text.slice(0, text.indexOf('<script')) : text;
    for (const word of ['NaN', 'undefined', '[object Object]', 'Infinity'])
      assert.ok(given.includes(word) || !prose.includes(word), `${word} in ${name}`);
  }
  const digest = digestOf(run);
  const options = { metrics: null, least: {}, operations: true, includeFailed: true, allowSingle: true };
  const original = { given: 'base', digests: [digestOf(/** @type {any} */ (RUNS[0]))] };
  for (const base of [original, { given: 'same', digests: [digest, digest] }]) {
    try {
      const comparison = compare('x', base, { given: 'head', digests: [digest] }, options, []);
      assert.ok([0, 98, 99].includes(comparison.verdict.exit_code));
      renderComparison(comparison, { directory: 'x', colours: false });
    } catch (error) {
      if (/** @type {Error} */ (error).name !== 'CompareError' && error?.constructor?.name !== 'CompareError')
        throw error;
      isOneLine(/** @type {Error} */ (error).message);
    }
  }
}

/** @param {any} run */
function isSound(run) {
  assert.equal(validateRun(JSON.parse(JSON.stringify(run))), null);
  const { outcome, exit_code, reasons } = run.verdict;
  assert.ok(['pass', 'fail', 'invalid', 'error'].includes(outcome) && reasons.length > 0);
  assert.equal(exit_code === 0, outcome === 'pass');
  for (const reason of reasons) isOneLine(reason);
  allOf(run, null);
}

/**
 * As main.js does it, without a process of its own.
 *
 * @param {string} folder
 * @param {number} k6Exit
 */
async function judged(folder, k6Exit) {
  const { testid: _, ...left } = await collect(folder);
  assert.ok(left.log.failedPushesS.every(Number.isFinite), 'a time that is none');
  if (left.summaryProblem !== null) isOneLine(left.summaryProblem);
  for (const timeline of TIMELINES) {
    const signals = watchedOverTime(timeline, left.watches);
    assert.equal(validateTimeline({ ...timeline, signals }), null);
  }
  return runOf({ ...left, k6Exit });
}

/** @param {fc.Arbitrary<string>} text */
const mostly = (text, right = '') => fc.oneof({ weight: 3, arbitrary: fc.constant(right) }, text);

/** @type {import('./property.js').Area} */
const area = {
  name: 'documents',
  close: async () => rmSync(scratch, { recursive: true, force: true }),
  properties: [
    property({
      name: 'a run.json is refused in one line, or everything can be made of it',
      runs: 120,
      input: changed(RUNS),
      holds: (run) => {
        const problem = validateRun(run);
        if (problem === null) allOf(run, null);
        else isOneLine(problem);
      },
    }),
    property({
      name: 'a run.json does not pass where a threshold of it failed',
      runs: 20,
      input: fc.tuple(fc.constantFrom(...RUNS), fc.nat(1000)),
      holds: ([document, at]) => {
        const run = structuredClone(document);
        const threshold = run.thresholds[at % run.thresholds.length];
        Object.assign(threshold, { ok: false, outcome: 'fail', reason: 'it was missed' });
        run.verdict = { outcome: 'pass', exit_code: 0, reasons: ['8 thresholds held'] };
        assert.match(validateRun(run) ?? 'taken', /verdict/);
      },
    }),
    property({
      name: 'a timeline.json is refused in one line, or charts can be made of it',
      runs: 60,
      input: changed(TIMELINES),
      holds: (timeline) => {
        const problem = validateTimeline(timeline);
        if (problem === null)
          documentOf(
            pageOfRun(
              RUNS[TIMELINES.findIndex(({ testid }) => testid === timeline.testid)] ?? RUNS[0],
              timeline,
            ),
          );
        else isOneLine(problem);
      },
    }),
    property({
      name: 'of a damaged measured.json comes a run document, and a verdict',
      runs: 300,
      input: fc.record({
        files: damagedText(ALL_MEASURED).map((text) => ({ 'measured.json': text })),
        k6Exit: fc.constantFrom(0, 0, 99, 107, 108, 137),
      }),
      holds: async ({ files, k6Exit }) => isSound(await judged(folderWith(files), k6Exit)),
    }),
    property({
      name: 'a figure that an objective needs is not passed over where it is missing or nonsense',
      runs: 150,
      input: fc.record({
        of: fc.constantFrom(...NEEDED),
        what: fc.oneof(
          fc.record({ group: fc.constant(true) }),
          fc.record({
            value: fc.oneof(
              fc.constantFrom(null, -1, 0.5, [], {}),
              anyJson.filter((value) => typeof value !== 'number' && typeof value !== 'string'),
            ),
          }),
        ),
      }),
      holds: async ({ of: [phase = '', field = ''], what }) => {
        const document = structuredClone(PASSING);
        const of = (/** @type {any} */ one) => one.phase === phase;
        if ('group' in what) document.groups = document.groups.filter((/** @type {any} */ one) => !of(one));
        else document.groups.find(of)[field] = what.value;
        const run = await judged(folderWith({ 'measured.json': JSON.stringify(document) }), 0);
        isSound(run);
        assert.notEqual(run.verdict.outcome, 'pass');
      },
    }),
    property({
      name: 'of damaged trials.json, host-watch.json and k6.log comes a run document, or one line',
      runs: 120,
      input: fc.record({
        trials: mostly(damagedText([TRIALS]), JSON.stringify(TRIALS)),
        watch: mostly(damagedText([WATCH]), JSON.stringify(WATCH)),
        log: nearly(fc.constant(LOG), 4),
        measured: mostly(damagedText(ALL_MEASURED), JSON.stringify(PASSING)),
        single: fc.boolean(),
      }),
      holds: async ({ trials, watch, log, measured, single }) => {
        const second = measured
          .replaceAll('"phase":"a"', '"phase":"c"')
          .replaceAll('"name":"a"', '"name":"c"');
        /** @type {Record<string, string>} */
        const files = single
          ? { 'measured.json': measured, 'host-watch.json': watch, 'k6.log': log }
          : {
              'trials.json': trials,
              'one/measured.json': measured,
              'one/host-watch.json': watch,
              'one/k6.log': log,
              'two/measured.json': second,
            };
        try {
          isSound(await judged(folderWith(files), 0));
        } catch (error) {
          if (!(error instanceof TrialsError)) throw error;
          isOneLine(error.message);
        }
      },
    }),
    property({
      name: 'a plan.json is refused in one line, or shown',
      runs: 500,
      input: fc.oneof(changed(ALL_MEASURED.map(({ plan }) => plan)), anyJson),
      holds: (plan) => {
        const problem = validatePlan(plan);
        if (problem === null) renderPlan(plan, { colours: false, brief: false });
        else isOneLine(problem);
      },
    }),
    property({
      name: 'the programs end with their exit codes and one line',
      runs: 8,
      input: fc.record({
        program: fc.constantFrom('report', 'compare'),
        text: damagedText(RUNS),
        alongside: mostly(damagedText(TIMELINES)),
      }),
      holds: ({ program, text, alongside }) => {
        const folder = folderWith({ 'run.json': text, ...(alongside && { 'timeline.json': alongside }) });
        const args = program === 'report' ? ['report', folder] : ['compare'];
        const env = { PATH: process.env.PATH, BASE: folder, HEAD: folder, RESULTS_DIR: scratch };
        const { status, stdout, stderr, error } = spawnSync(
          process.execPath,
          [here('../../cli/main.ts'), ...args],
          { encoding: 'utf8', env, timeout: 60_000 },
        );
        assert.equal(error, undefined);
        assert.doesNotMatch(stderr, /^ +at |node:internal/m);
        // 1: what another part of the lab left can't be read. It is no verdict.
        assert.ok([0, 1, 2, 98, 99].includes(status ?? -1), `exit code ${status}: ${stderr}`);
        // Of a run without figures the verdict is an error, and 1.
        if (status === 1 || status === 2) assert.match(stderr + stdout, /^error: |VERDICT error/m);
        for (const line of stderr.split('\n').filter((line) => line !== '')) isOneLine(line);
        if (stdout.includes('VERDICT')) assert.ok(existsSync(join(folder, 'run.json')));
      },
    }),
  ],
};
export default area;
