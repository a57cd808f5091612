/** What a run says of how it is repeated, and which limits it offers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetSettings } from '../../../analysis/collect/target-settings.ts';
import { suggestedLimits } from '../../../analysis/judge/suggested-limits.ts';
import { renderMarkdown } from '../../../analysis/render/markdown.ts';
import { nextCommands } from '../../../analysis/render/next-commands.ts';
import { spikeRun } from './report-fixture.js';

const PASS = { outcome: /** @type {const} */ ('pass'), exit_code: 0, reasons: [] };
const ERROR = { outcome: /** @type {const} */ ('error'), exit_code: 1, reasons: [] };
const WIDTH = 100;
const COMPARE = 'compare:  make compare BASE=spike-20260102T030405-ab12 HEAD=latest';
const URL = 'http://127.0.0.1:3001/mcp';

/** @param {Partial<import('../../../analysis/judge/run.ts').Run>} changes @returns {Promise<string[]>} without where the results are */
async function commands(changes) {
  const made = await spikeRun();
  const target = made.target && { ...made.target, settings: null };
  return nextCommands({ ...made, target, ...changes }, 'results/x', WIDTH).slice(1);
}

/** @param {string[]} lines @returns {string} what a shell makes of them */
const joined = (lines) => lines.join('\n').replace(/ \\\n +/g, ' ');

test('again is the run exactly, with all that it was given, and no more', async () => {
  const variables = { TARGET_URL: URL, PROFILE: 'smoke', RATE_SCALE: '0.1', TOOL: 'echo' };
  const lines = await commands({ verdict: ERROR, variables });
  assert.deepEqual(lines, [`again:    make spike TARGET_URL=${URL} PROFILE=smoke RATE_SCALE=0.1 TOOL=echo`]);
  assert.deepEqual(await commands({ verdict: ERROR, variables: {} }), ['again:    make spike']);
});

test('Grafana is only named if the stack has it', async () => {
  const run = await spikeRun();
  const [live] = nextCommands(run, 'results/x', WIDTH);
  assert.equal(live, 'see it:   results/x/report.html, or make live');
  const [dashboards] = nextCommands(run, 'results/x', WIDTH, true);
  assert.equal(dashboards, 'see it:   results/x/report.html, or make dashboards');
});

test('a longer profile is a line of its own, with its peak rate and its length', async () => {
  const variables = { TARGET_URL: URL, PROFILE: 'smoke', RATE_SCALE: '0.1' };
  const longer = { profile: 'quick', peak_rps: 200, users: 600, duration_s: 130 };
  const thresholds = /** @type {any} */ ([]);
  const [again, more, comment] = await commands({ verdict: PASS, variables, longer, thresholds });
  assert.equal(again, `again:    make spike TARGET_URL=${URL} PROFILE=smoke RATE_SCALE=0.1`);
  assert.equal(more, `longer:   make spike TARGET_URL=${URL} PROFILE=quick RATE_SCALE=0.1`);
  assert.equal(comment?.trim(), '# up to 200/s, 2 min 10 s');
  const closed = await commands({ verdict: PASS, variables, longer: { ...longer, peak_rps: null } });
  assert.match(joined(closed), /# up to 600 VUs, 2 min 10 s$/m);
  const failed = await commands({ variables, longer });
  assert.doesNotMatch(joined(failed), /longer:/);
});

test('what is long goes on in the next line, as a shell reads it', async () => {
  const variables = {
    TARGET_URL: URL,
    ARGS: `{"text":"it's ${'long '.repeat(20)}"}`,
    TOOL: 'echo',
    SEED: '7',
  };
  const lines = await commands({ verdict: ERROR, variables });
  assert.deepEqual(lines, [
    `again:    make spike TARGET_URL=${URL} \\`,
    `          ARGS='{"text":"it'\\''s ${'long '.repeat(20)}"}' \\`,
    '          TOOL=echo SEED=7',
  ]);
});

test('a secret is named and not shown', async () => {
  const variables = { TARGET_URL: URL, TARGET_TOKEN: null, TARGET_HEADERS: null };
  assert.deepEqual(await commands({ verdict: ERROR, variables }), [
    `again:    make spike TARGET_URL=${URL}`,
    '          # with TARGET_TOKEN, TARGET_HEADERS as before',
  ]);
});

test("the reference target's settings are part of it, also those from an earlier `make up`", async () => {
  const { target } = await spikeRun();
  const own = target && { ...target, settings: targetSettings('POOL_SIZE=1') };
  assert.deepEqual(await commands({ verdict: ERROR, target: own, variables: { PROFILE: 'smoke' } }), [
    'again:    make spike PROFILE=smoke POOL_SIZE=1',
  ]);
});

test('nothing is said of a run whose variables are not known, and an error is compared with nothing', async () => {
  assert.deepEqual(await commands({ verdict: ERROR }), []);
  assert.deepEqual(await commands({ verdict: PASS }), [COMPARE]);
  assert.deepEqual(await commands({}), [`${COMPARE} INCLUDE_FAILED=1`]);
  assert.deepEqual(await commands({ verdict: ERROR, variables: {}, test: 'spike; rm -rf /' }), []);
});

/** @param {number[]} answered of each phase @param {number[]} rates */
const measured = (answered, rates = answered.map(() => 100)) =>
  /** @type {any} */ ({
    documents: false,
    thresholds: [],
    verdict: PASS,
    phases: answered.map((count, index) => ({
      name: `phase-${index + 1}`,
      measured: true,
      overload: false,
      answered: count,
      offered_rps: rates[index],
      vus: null,
      latency_ms: { p50: 10.2, p95: 41, p99: 80.1 + index },
    })),
  });

test('limits to take over: the highest percentile with ten answers in its tail, with room for scatter', () => {
  assert.deepEqual(suggestedLimits(measured([1000, 1500])), {
    thresholds: 'each.p99_ms=130',
    margin: 1.5,
    samples: 1000,
  });
  assert.equal(suggestedLimits(measured([500, 499]))?.thresholds, 'each.p95_ms=62');
  assert.equal(suggestedLimits(measured([20]))?.thresholds, 'each.p50_ms=16');
  assert.equal(
    suggestedLimits(measured([1000, 1000], [10, 50]))?.thresholds,
    'phase-1.p99_ms=130,phase-2.p99_ms=130',
  );
  const trials = { ...measured([1000, 1000], [10, 50]), test: 'sweep' };
  assert.equal(suggestedLimits(trials), null, "THRESHOLDS does not know the trials' names of phases");
});

test('no limits where they are set already, by documents too, of too few answers, or of a run that did not pass', () => {
  const run = measured([1000]);
  const limit = { metric: 'p99_ms', relative_to: null };
  assert.equal(suggestedLimits({ ...run, documents: true }), null);
  assert.equal(suggestedLimits({ ...run, thresholds: [limit] }), null);
  assert.equal(suggestedLimits({ ...run, verdict: { ...PASS, outcome: 'fail' } }), null);
  assert.equal(suggestedLimits(measured([19])), null);
  const compared = { ...limit, relative_to: 'phase-1' };
  assert.notEqual(suggestedLimits({ ...run, thresholds: [compared] }), null);
});

test('report.md ends with the same commands, each as it is typed', async () => {
  const made = await spikeRun();
  const variables = { TARGET_URL: URL, ARGS: '{"a":"*_`|"}', TOOL: 'echo', TARGET_TOKEN: null };
  const text = renderMarkdown({
    ...made,
    target: made.target && { ...made.target, settings: null },
    variables,
  });
  assert.match(text, /\n## Run it again\n\n {4}make spike [^\n]*\n\n<sub>/);
  const line = `    make spike TARGET_URL=${URL} ARGS='{"a":"*_\`|"}' TOOL=echo  # with TARGET_TOKEN as before\n`;
  assert.ok(text.includes(line), text.slice(-1500));
});

test('limits to take over are a line that can be pasted', async () => {
  const { documents, thresholds, phases } = measured([1000]);
  const lines = await commands({ verdict: PASS, variables: {}, documents, thresholds, phases });
  assert.match(
    joined(lines),
    /^limits: {3}THRESHOLDS=each\.p99_ms=130\n {10}# to judge latency: 1\.5 x the highest phase, with at least 1,000 requests$/m,
  );
});
