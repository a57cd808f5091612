import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { timesOf } from '../../../analysis/collect/grid.ts';
import { validateTimeline } from '../../../analysis/collect/timeline.ts';
import { validateRun } from '../../../analysis/judge/run.ts';
import { chartId } from '../../../analysis/report/plots.ts';
import { pageOfRun } from '../../../analysis/report/run-page.ts';
import { writeReports } from '../../../analysis/report/write-reports.ts';
import { documentOf } from '../../../page/document.ts';
import { escapeHtml, html } from '../../../page/html.ts';
import { runOf, summary } from './build.js';
import { HOSTILE, spikeRun, timelineOf } from './report-fixture.js';

const scratch = mkdtempSync(join(tmpdir(), 'report-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/**
 * @typedef {{tag: string, attributes: Record<string, string | null>}} Element
 * @typedef {{elements: Element[], text: string, comments: string[], embedded: string[]}} Parsed embedded: styles and scripts
 */

/** @param {string} page @returns {Parsed} what an independent parser makes of it */
function parse(page) {
  const program = `
import sys, json
from html.parser import HTMLParser
class P(HTMLParser):
    e=[]; t=[]; c=[]; r=[]; i=None
    def handle_starttag(s, tag, attrs):
        s.e.append({"tag": tag, "attributes": dict(attrs)}); s.i = tag
        if tag in ("script", "style"): s.r.append("")
    def handle_endtag(s, tag): s.i = None
    def handle_data(s, data):
        if s.i in ("script", "style"): s.r[-1] += data
        else: s.t.append(data)
    def handle_comment(s, data): s.c.append(data)
p=P(); p.feed(sys.stdin.buffer.read().decode()); p.close()
print(json.dumps({"elements": p.e, "text": "".join(p.t), "comments": p.c, "embedded": p.r}))`;
  return JSON.parse(
    execFileSync('python3', ['-c', program], { input: page, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
  );
}

const reportOf = (/** @type {Parameters<typeof pageOfRun>} */ ...given) =>
  parse(documentOf(pageOfRun(...given)));

/** @param {Parsed} parsed @param {string} name @returns {string[]} */
const attribute = ({ elements }, name) =>
  elements.flatMap(({ attributes }) => (attributes[name] == null ? [] : [attributes[name]]));

test('html: text is escaped, markup is not, nothing is nothing', () => {
  assert.equal(escapeHtml(`<a href="x">&'`), '&lt;a href=&quot;x&quot;&gt;&amp;&#39;');
  const list = ['<b>', html`<i>${'<'}</i>`, null, 0];
  assert.equal(
    String(html`<p title="${'"'}">${list}${undefined}${false}</p>`),
    '<p title="&quot;">&lt;b&gt;<i>&lt;</i>0</p>',
  );
});

test("a page's policy lets it run its own script and style and load nothing; what goes on may ask its server", async () => {
  const run = await spikeRun();
  const page = pageOfRun(run, timelineOf(run));
  page.plots?.phases.push({ name: '</script><!-- <b>', kind: 'measured', fromS: 0, toS: 1 });
  const policyOf = (/** @type {Parsed} */ { elements }) =>
    elements.find(({ attributes }) => attributes['http-equiv'])?.attributes.content;
  const file = parse(documentOf(page));
  const [style = '', data = '', script = ''] = file.embedded;
  const hash = (/** @type {string} */ text) =>
    `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const expected = `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; trusted-types page; \
require-trusted-types-for 'script'; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'`;
  assert.equal(policyOf(file), expected);
  assert.deepEqual(JSON.parse(data), { plots: page.plots });
  assert.equal(
    policyOf(parse(documentOf(null))),
    expected.replace("connect-src 'none'", "connect-src 'self'"),
  );
});

/** @param {string} text @returns {NonNullable<import('../../../analysis/judge/run.ts').Run['tables']>[number]} */
const tableWith = (text) => ({
  title: text,
  columns: [{ name: text, unit: 'text' }],
  rows: [[text]],
  notes: [text],
});

test('everything that a report has to have is in it, in its order', async () => {
  const variables = { PROFILE: 'full', TARGET_TOKEN: null };
  const run = { ...(await spikeRun()), tables: [tableWith('by step')], variables };
  const parsed = reportOf(run, timelineOf(run));
  assert.equal(
    attribute(parsed, 'data-part').join(' '),
    'answer figures strip findings own-1 phases outcomes operations failures thresholds signals series environment repeat',
  );
  assert.deepEqual(attribute(parsed, 'data-outcome'), ['fail']);
  for (const part of [
    'A sudden crowd, and what is left of it',
    'FAIL: recovered p99 90.9 ms (limit 85 ms). Overload: spike p99 32 -> 1,935 ms, 2.21 % failed.',
    'exit code 99',
    'Goodput, in spike1,174/s of 1,200/s requests, target 2,000/s',
    'the connection pool limited spike',
    'a full pool with an idle database is the pool',
    'pool utilization12 %100 %98 %01:34, 14 s into spike',
    'memory · inconclusive',
    'by step\nby step\n\nby step\n\nby step',
    'warm-up not measured03:04:0520 s',
    'rate_limited90003:05:28 1 min 24 s into the run, in spike',
    'tool40--get_user: no connection to the database within 2 s',
    'FAILrecovered p99 < 85 ms90.9 ms2,000',
    'POOL_SIZE=2 WORKERS=1',
    'Percentiles come from latency histograms',
    'againmake spike PROFILE=full POOL_SIZE=2 WORKERS=1  # with TARGET_TOKEN as before',
  ]) {
    assert.ok(parsed.text.includes(part), `${part}\n${parsed.text}`);
  }
});

test('links lead to places of the page, names of places are there once, and nothing is loaded', async () => {
  const run = await spikeRun();
  const parsed = reportOf(run, timelineOf(run));
  const ids = attribute(parsed, 'id');
  assert.equal(new Set(ids).size, ids.length, ids.join(' '));
  const links = attribute(parsed, 'href').filter((href) => !href.startsWith('data:'));
  for (const link of links) assert.ok(link.startsWith('#') && ids.includes(link.slice(1)), link);
  for (const series of ['pool_utilization', 'pool_wait']) assert.ok(links.includes(`#${chartId(series)}`));
  // There is no such series in the timeline.
  assert.ok(!links.includes(`#${chartId('never_collected')}`));
  for (const name of ['src', 'style']) assert.deepEqual(attribute(parsed, name), []);
});

/** What a server or a person may have written. */
const FREE = new Set(
  `title statement subject sample reason expression name url version setting operation method class workload profile testid test os
  cpu node k6 era dialect protocol_version phase first_phase series signal metric relative_to`.split(/\s+/),
);

/** @param {any} value @param {string} [key] @returns {any} the same, with what is free made hostile */
function hostile(value, key = '') {
  if (typeof value === 'string') return FREE.has(key) ? `${value} ${HOSTILE}` : value;
  if (Array.isArray(value))
    return value.map((one) => hostile(one, ['evidence', 'reasons', 'notes'].includes(key) ? 'title' : key));
  if (value === null || typeof value !== 'object') return value;
  if (key === 'labels') return { [HOSTILE]: HOSTILE };
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hostile(one, name)]));
}

test('hostile names and texts are text in every place', async () => {
  const plain = { ...(await spikeRun()), tables: [tableWith('by step')] };
  const run = hostile({ ...plain, tables: [tableWith(HOSTILE)] });
  const timeline = timelineOf(plain);
  timeline.signals[`pool_wait ${HOSTILE}`] = {
    unit: HOSTILE,
    values: timesOf(timeline).map((_, index) => index),
  };
  timeline.client[`failures_${HOSTILE}`] = { unit: 'rate', values: timesOf(timeline).map(() => 1) };
  const benign = reportOf(plain, timelineOf(plain));
  const { elements, text, comments, embedded } = reportOf(run, timeline);
  // No element, and none of its attributes, that the harmless report does not have.
  const kinds = (/** @type {Element[]} */ all) =>
    new Set(all.flatMap(({ tag, attributes }) => [tag, ...Object.keys(attributes)]));
  assert.deepEqual(kinds(elements), kinds(benign.elements));
  assert.deepEqual(comments, []);
  assert.doesNotThrow(() => JSON.parse(embedded[1] ?? ''));
  assert.deepEqual(embedded.toSpliced(1, 1), benign.embedded.toSpliced(1, 1));
  assert.ok(text.split(HOSTILE).length > 60, String(text.split(HOSTILE).length));
});

test('what is missing is said: no timeline, no summary, a set-up that failed', async () => {
  const without = reportOf(await spikeRun(), null);
  assert.match(without.text, /There are no charts: this run has no timeline\.json/);
  assert.deepEqual(JSON.parse(without.embedded[1] ?? ''), { plots: null });
  assert.ok(!attribute(without, 'href').some((href) => href.startsWith('#')));
  const dead = await runOf({ summary: null, summaryProblem: 'k6 left no summary.json', k6Exit: 137 });
  const page = reportOf(dead, null);
  assert.match(page.text, /ERROR.*k6 exited with code 137 \(killed, for example/s);
  assert.equal(attribute(page, 'id').join(' '), 'connection theme answer environment data');
  const begun = summary({ startedMs: null, ranS: 0.1, phases: [{ name: 'a' }] });
  const setUp = await runOf({ summary: begun, k6Exit: 108 });
  assert.match(reportOf(setUp, null).text, /k6 exited with code 108/);
});

test('an invalid run says that neither figures nor findings are to be used', async () => {
  const verdict = { outcome: 'invalid', exit_code: 98, reasons: ['the load generator had no CPU left'] };
  const { headline: _, ...run } = /** @type {any} */ (await spikeRun());
  const parsed = reportOf({ ...run, verdict }, null);
  assert.deepEqual(attribute(parsed, 'data-outcome'), ['invalid']);
  assert.match(parsed.text, /INVALID: .*the load generator had no CPU left.*Do not use the figures below/s);
  assert.match(parsed.text, /The findings of an invalid run cannot be relied on/);
  assert.match(
    parsed.text,
    /connection pool · in spike, which is not judged · high confidence · in an invalid run/,
  );
  const empty = reportOf({ ...run, verdict, findings: [] }, null);
  assert.match(empty.text, /The findings of an invalid run cannot be relied on/);
  assert.doesNotMatch(empty.text, /No bottlenecks/);
  assert.match(reportOf({ ...run, findings: [] }, null).text, /No bottlenecks/);
});

test('what helps is the last line of a finding', async () => {
  const run = await spikeRun();
  const [first] = run.findings;
  const helped = { ...first, evidence: ['first', 'remedy: a larger pool', 'last'] };
  const { text } = reportOf(/** @type {any} */ ({ ...run, findings: [helped] }), timelineOf(run));
  assert.match(text, /firstlast[\s\S]*Remedy: a larger pool/);
  assert.ok(text.indexOf('Remedy') > text.indexOf('Pool utilization Connections'));
});

/** A day of load: as much of everything as there may be. */
async function day() {
  const many = (/** @type {number} */ length) => Array.from({ length }, (_, index) => index);
  const kinds = 'connect timeout http_4xx rate_limited http_5xx protocol jsonrpc tool unexpected'.split(' ');
  const figures = { iterations: 432_000, failures: Object.fromEntries(kinds.map((kind) => [kind, 9])) };
  const phases = many(20).map((index) => ({ name: `window-${index + 1}`, duration_s: 4320, figures }));
  const call = { method: 'tools/call', class: 'read' };
  const operations = many(50).map((index) => ({
    ...call,
    operation: `an_operation_with_a_long_name_${index}`,
  }));
  const run = await runOf({ summary: summary({ phases, plan: { operations } }) });
  /** @type {[string, string, number, number][]} */
  const signals = many(60).map((index) => [`signal_${index}`, 'bytes', 1.2345e8, 9.8765e9]);
  const timeline = timelineOf(run, signals);
  const at = run.phases[3]?.start ?? null;
  const read = { unit: 'bytes', from: 1e8, to: 9e9, threshold: 8e9, at };
  const [finding] = (await spikeRun()).findings;
  const findings = many(100).map((index) => ({
    .../** @type {NonNullable<typeof finding>} */ (finding),
    phase: 'window-4',
    statement: `${index} ${'limited the run '.repeat(20)}`,
    evidence: many(8).map(() => 'because of this and that '.repeat(15)),
    observations: many(6).map((turn) => ({ ...read, series: `signal_${(index + turn) % 60}` })),
  }));
  return { run: { ...run, findings }, timeline };
}

test('a day of load: under 5 MB, in under 10 s; and report.md fits a step summary', async () => {
  const { run, timeline } = await day();
  assert.deepEqual([validateRun(run), validateTimeline(timeline)], [null, null]);
  assert.ok(timeline.count > 1600 && timeline.count <= 1800, String(timeline.count));
  const folder = join(scratch, 'day');
  mkdirSync(folder);
  const started = performance.now();
  const names = writeReports(folder, run, timeline);
  const s = (performance.now() - started) / 1000;
  const sizes = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name)).length]));
  process.stdout.write(`# ${s.toFixed(2)} s; bytes: ${JSON.stringify(sizes)}\n`);
  assert.ok(s < 10, `${s} s`);
  assert.ok((sizes['report.html'] ?? 0) < 5_000_000);
  assert.ok((sizes['report.md'] ?? 0) < 1_048_576);
  assert.ok(readFileSync(join(folder, 'report.html'), 'utf8').includes(`id="${chartId('signal_59')}"`));
});

/** @param {string[]} args */
const command = (args) =>
  spawnSync(process.execPath, ['cli/main.ts', 'report', ...args], {
    encoding: 'utf8',
    env: { ...process.env, RESULTS_DIR: join(scratch, 'results'), PROMETHEUS_URL: 'http://127.0.0.1:9' },
  });

test('the command: by name, latest or path, always the same bytes; what is wrong is one line and exit code 2', async () => {
  const run = { ...(await spikeRun()), variables: { PROFILE: 'smoke' } };
  const results = join(scratch, 'results');
  const folder = join(results, run.testid);
  const missing = command([run.testid]);
  assert.deepEqual([missing.status, missing.stdout], [2, '']);
  assert.match(
    missing.stderr,
    /^error: RUN is "spike-.*"; valid: latest, the path of a results folder, or a testid; .* has no runs\n$/,
  );
  mkdirSync(folder, { recursive: true });
  symlinkSync(run.testid, join(results, 'latest'));
  assert.match(command([]).stderr, /^error: .* has no run\.json: it contains no judged run\n$/);
  writeFileSync(join(folder, 'run.json'), '{"schema": 1');
  assert.match(command([]).stderr, /^error: .*run\.json cannot be read as JSON: .*\n$/);
  writeFileSync(join(folder, 'run.json'), '{"schema": "another"}');
  assert.match(command([]).stderr, /^error: .*run\.json is not a run document of this version: .*\n$/);
  writeFileSync(join(folder, 'run.json'), JSON.stringify(run));

  const without = command(['latest']);
  assert.equal(without.status, 0, without.stderr);
  assert.match(without.stderr, /has no timeline\.json, so report\.html has no charts\n$/);
  writeFileSync(join(folder, 'timeline.json'), JSON.stringify({ ...timelineOf(run), testid: 'another' }));
  assert.match(command([folder]).stderr, /timeline\.json belongs to another, not to spike-/);
  writeFileSync(join(folder, 'timeline.json'), JSON.stringify(timelineOf(run)));
  const direct = join(scratch, 'direct');
  mkdirSync(direct);
  const names = writeReports(direct, run, timelineOf(run));
  assert.deepEqual(names.toSorted(), ['junit.xml', 'report.html', 'report.md', 'summary.csv']);
  for (const wanted of [run.testid, 'latest', folder]) {
    const { status, stdout, stderr } = command([wanted]);
    assert.deepEqual([status, stderr], [0, '']);
    const lines = stdout.trim().split('\n');
    assert.deepEqual(
      lines.slice(0, names.length).map((path) => basename(path)),
      names,
    );
    assert.match(
      lines.slice(names.length).join('\n'),
      /^again: {4}make spike PROFILE=smoke .*\ncompare: {2}/s,
    );
    for (const name of names)
      assert.ok(readFileSync(join(folder, name)).equals(readFileSync(join(direct, name))), name);
  }
  const wrong = command(['nowhere']);
  assert.equal(wrong.status, 2);
  assert.ok(wrong.stderr.includes(`a testid: ${run.testid}`), wrong.stderr);
});
