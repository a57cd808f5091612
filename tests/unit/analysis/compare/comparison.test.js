import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, validateComparison } from '../../../../analysis/compare/comparison.ts';
import { pageOfComparison } from '../../../../analysis/compare/comparison-page.ts';
import { renderJunit } from '../../../../analysis/compare/junit.ts';
import { renderMarkdown } from '../../../../analysis/compare/markdown.ts';
import { renderTerminal } from '../../../../analysis/compare/terminal.ts';
import { documentOf } from '../../../../page/document.ts';
import { near } from '../build.js';
import { DEFAULTS, digest, side } from './build.js';

const CALM = [50, 51, 49, 50.5, 49.5];
const SLOW = CALM.map((ms) => 1.5 * ms);

/** @param {import('../../../../analysis/compare/comparison.ts').Comparison} comparison @param {string} metric */
const outcome = ({ metrics }, metric) => metrics.find((row) => row.metric === metric)?.outcome;

test('a build that is slower fails, by the metrics that are worse', async () => {
  const found = compare('x', await side('old', CALM), await side('new', SLOW), DEFAULTS);
  assert.equal(validateComparison(found), null);
  assert.equal(outcome(found, 'p99'), 'worse');
  assert.equal(outcome(found, 'throughput'), 'same');
  assert.equal(outcome(found, 'memory'), 'same');
  assert.deepEqual([found.verdict.outcome, found.verdict.exit_code], ['fail', 99]);
  assert.match(
    found.verdict.reasons.join('\n'),
    /p99 in calm is worse: \+50 % \(.* to .*\), medians 50 ms and 7[45](\.\d)? ms/,
  );
  // The other way round it is better, which fails nobody.
  const back = compare('x', await side('new', SLOW), await side('old', CALM), DEFAULTS);
  assert.deepEqual([outcome(back, 'p99'), back.verdict.exit_code], ['better', 0]);
});

test('the same twice is the same, and passes', async () => {
  const found = compare('x', await side('a', CALM), await side('b', CALM), DEFAULTS);
  assert.ok(found.metrics.every((row) => row.outcome === 'same'));
  assert.deepEqual(found.verdict.reasons, ['nothing is worse: 7 metrics the same, 0 better']);
});

test('one run against one is reported and fails nobody, unless it is allowed to', async () => {
  const sides = [await side('a', [50]), await side('b', [90])];
  const [a, b] = /** @type {[typeof sides[0], typeof sides[0]]} */ (sides);
  const found = compare('x', a, b, DEFAULTS);
  assert.equal(found.single, true);
  assert.deepEqual(found.verdict, {
    outcome: 'pass',
    exit_code: 0,
    reasons: ['one run per side: no verdict'],
  });
  const allowed = compare('x', a, b, { ...DEFAULTS, allowSingle: true });
  assert.equal(allowed.verdict.exit_code, 99);
  assert.equal(allowed.rule.single_factor, 3);
});

test('too few runs to tell anything are invalid, not a pass', async () => {
  const found = compare('x', await side('a', [50, 51]), await side('b', [90, 91]), DEFAULTS);
  assert.equal(found.verdict.exit_code, 98);
  assert.match(found.verdict.reasons.join(), /all metrics \(7\) are inconclusive with these runs$/);
  assert.match(found.notes.join(), /2 against 2 runs cannot show .*; at least 5 runs per side/);
});

test('refused runs are listed with their reason, and the rest is compared', async () => {
  const base = await side('a', CALM);
  base.digests.push(await digest({ testid: 'odd', verdict: { outcome: 'invalid', reasons: ['too busy'] } }));
  const found = compare('x', base, await side('b', CALM), DEFAULTS);
  assert.deepEqual(found.base.refused, [{ testid: 'odd', reason: 'invalid: too busy' }]);
  assert.equal(found.base.runs.length, 5);
  const failed = { outcome: /** @type {const} */ ('fail'), reasons: ['p99 too high'] };
  const none = compare('x', await side('a', CALM), await side('b', SLOW, { verdict: failed }), DEFAULTS);
  assert.equal(none.verdict.exit_code, 98);
  assert.deepEqual(none.verdict.reasons, ['no runs are left to compare in HEAD (b)']);
  const let_in = compare('x', await side('a', CALM), await side('b', SLOW, { verdict: failed }), {
    ...DEFAULTS,
    includeFailed: true,
  });
  assert.equal(let_in.verdict.exit_code, 99);
});

test('runs of something else, and one run on both sides, are an error of one line', async () => {
  const base = await side('a', CALM);
  assert.throws(
    () => compare('x', base, base, DEFAULTS),
    /^Error: a-1 is given twice; valid: each run once, on one side$/,
  );
  const other = await side('b', CALM, { rate: 50 });
  assert.throws(
    () => compare('x', base, other, DEFAULTS),
    /these runs are not comparable: phase calm: 100\/s in a-1, 50\/s/,
  );
});

test('another machine and other settings are said', async () => {
  const base = await side('a', CALM, {
    settings: { WORKERS: '2', CACHE_TTL: '300', POOL_SIZE: '1', TARGET_FAULTS: '{}' },
  });
  const head = await side('b', CALM, {
    settings: { WORKERS: '1', CACHE_TTL: '300', POOL_SIZE: '1', TARGET_FAULTS: '{}' },
    environment: { cores: 2 },
  });
  const { notes } = compare('x', base, head, DEFAULTS);
  assert.match(notes.join('\n'), /different machines, which may explain the difference: cores 4 and 2/);
  assert.match(notes.join('\n'), /^WORKERS: 2 in BASE, 1 in HEAD$/m);
  assert.match(notes.join('\n'), /^both with POOL_SIZE=1$/m);
  assert.ok(!notes.join().includes('CACHE_TTL'));
});

test('what is chosen is compared, from the change on that is asked for', async () => {
  const [base, head] = [
    await side('a', CALM),
    await side(
      'b',
      CALM.map((ms) => ms * 1.06),
    ),
  ];
  const one = compare('x', base, head, { ...DEFAULTS, metrics: ['p99'] });
  assert.deepEqual(
    one.metrics.map(({ metric }) => metric),
    ['p99'],
  );
  assert.notEqual(outcome(one, 'p99'), 'worse');
  const strict = compare('x', base, head, { ...DEFAULTS, metrics: ['p99'], least: { p99: 0.03 } });
  assert.equal(outcome(strict, 'p99'), 'worse');
});

test('no secret that a run or the user carries is in the document', async () => {
  const base = { ...(await side('a', CALM)), given: 'TARGET_TOKEN=sesame-sesame' };
  const found = compare('x', base, await side('b', CALM), DEFAULTS, ['sesame-sesame']);
  assert.ok(!JSON.stringify(found).includes('sesame'));
});

test('every rendering says the same, byte for byte, each time', async () => {
  const found = compare('compare-1', await side('old', CALM), await side('new<b>', SLOW), DEFAULTS);
  const terminal = renderTerminal(found, { directory: 'results/compare-1', colours: false });
  assert.ok(
    terminal.split('\n').every((line) => line.length <= 100),
    terminal,
  );
  assert.match(terminal, /^p99 in calm +50 ms +7[45](\.\d)? ms +\+50 % .* worse/m);
  assert.match(terminal, /^VERDICT fail \(exit code 99\)$/m);
  const markdown = renderMarkdown(found);
  assert.match(markdown, /^# ❌ fail: spike, profile smoke, new&lt;b&gt; against old$/m);
  assert.match(markdown, /^\| p99 in calm \| 50 ms \| 7[45](\.\d)? ms \| \+50 % \|/m);
  const junit = renderJunit(found);
  assert.match(
    junit,
    /<testcase classname="comparison spike" name="p99 in calm">\s*<failure message="p99 in calm is worse/,
  );
  assert.match(junit, /tests="8" failures="4"/);
  for (const render of [renderMarkdown, renderJunit]) assert.equal(render(found), render(found));
});

test('its page: the answer, dots of all runs with a label each, outcomes in their tones, names as text', async () => {
  const found = compare('compare-1', await side('old', CALM), await side('new<b>', SLOW), DEFAULTS);
  const page = documentOf(pageOfComparison(found));
  assert.equal(page, documentOf(pageOfComparison(JSON.parse(JSON.stringify(found)))));
  assert.match(page, /<main data-outcome="fail">/);
  assert.match(
    page,
    /<p class="quiet">new&lt;b&gt; against old<\/p>\s*<h1><span class="outcome">FAIL<\/span>: p50 in calm is worse/,
  );
  assert.ok(!page.includes('new<b>'));
  const main = page.slice(page.indexOf('<main'), page.indexOf('</main>'));
  assert.equal(main.match(/<circle /g)?.length, 10 * found.metrics.length);
  near(
    /aria-label="(p99 in calm: [^"]*)"/.exec(page)?.[1],
    'p99 in calm: base 50 ms, 51 ms, 49 ms, 50.5 ms, 49.5 ms; head 75 ms, 76.5 ms, 73.5 ms, 75.8 ms, 74.3 ms',
  );
  const tones = (/** @type {string} */ markup) => markup.match(/class="is-\w+">\w+/g);
  assert.ok(tones(page)?.includes('class="is-fail">worse'));
  const better = compare('x', await side('new', SLOW), await side('old', CALM), DEFAULTS);
  assert.ok(tones(documentOf(pageOfComparison(better)))?.every((tone) => tone === 'class="is-pass">better'));
});
