import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chartId, chartsOf, phaseMarks } from '../../../analysis/report/chart-list.js';
import { SIGNAL_GROUPS } from '../../../analysis/report/charts.js';
import { escapeHtml, html } from '../../../analysis/report/html.js';
import { htmlPage } from '../../../analysis/report/page.js';
import { renderReport } from '../../../analysis/report/report.js';
import { writeReports } from '../../../analysis/report/write-reports.js';
import { validateRun } from '../../../analysis/run.js';
import { timesOf, validateTimeline } from '../../../analysis/timeline.js';
import { SIGNALS } from '../../../dashboards/signals.ts';
import { fieldConfig } from '../../../viewer/page/field-config.js';
import { unsupported } from '../../../viewer/page/unsupported.js';
import { runOf, summary } from './build.js';
import { HOSTILE, spikeRun, timelineOf } from './report-fixture.js';

const scratch = mkdtempSync(join(tmpdir(), 'report-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/**
 * @typedef {{tag: string, attributes: Record<string, string | null>}} Element
 * @typedef {{elements: Element[], text: string, comments: string[], scripts: string[]}} Parsed
 */

/** @param {string} page @returns {Parsed} what an independent parser makes of it */
function parse(page) {
  const program = `
import sys, json
from html.parser import HTMLParser
class P(HTMLParser):
    def __init__(s):
        super().__init__(); s.e=[]; s.t=[]; s.c=[]; s.r=[]; s.i=None
    def handle_starttag(s, tag, attrs):
        s.e.append({"tag": tag, "attributes": dict(attrs)}); s.i = tag
    def handle_endtag(s, tag): s.i = None
    def handle_data(s, data): (s.r if s.i in ("script", "style") else s.t).append(data)
    def handle_comment(s, data): s.c.append(data)
p=P(); p.feed(sys.stdin.buffer.read().decode()); p.close()
print(json.dumps({"elements": p.e, "text": "".join(p.t), "comments": p.c, "scripts": p.r}))`;
  return JSON.parse(
    execFileSync('python3', ['-c', program], { input: page, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
  );
}

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

test('a page without a script lets none run; with one, that one alone', () => {
  const plain = htmlPage({ title: '</title><script>', body: html`<p>x</p>` });
  const policyOf = (/** @type {string} */ page) =>
    parse(page).elements.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy')
      ?.attributes.content ?? '';
  assert.match(
    policyOf(plain),
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'; form-action 'none'$/,
  );
  assert.ok(!plain.includes('<script'));
  const script = 'document.title = "a";';
  const scripted = htmlPage({ title: 'x', body: html``, script, data: { text: '</script><!--' } });
  const hash = createHash('sha256').update(script).digest('base64');
  assert.ok(policyOf(scripted).includes(`script-src 'sha256-${hash}'; require-trusted-types-for 'script'`));
  const { scripts } = parse(scripted);
  assert.deepEqual(JSON.parse(scripts[1] ?? ''), { text: '</script><!--' });
  assert.equal(scripts[2], script);
});

test('everything that a report has to have is in it, in its order', async () => {
  const run = await spikeRun();
  const page = renderReport(run, timelineOf(run));
  const { text, elements } = parse(page);
  const sections = elements.flatMap(({ tag, attributes }) => (tag === 'section' ? [attributes.id] : []));
  assert.deepEqual(sections, [
    'verdict',
    'findings',
    'phases',
    'charts',
    'signals',
    'operations',
    'failures',
    'thresholds',
    'environment',
  ]);
  for (const part of [
    'A sudden crowd, and what is left of it',
    'recovered p99 was 91 ms, objective < 85 ms (2,000 samples)',
    'exit code 99',
    'the connection pool limited spike',
    'a full pool with an idle database is the pool',
    'pool utilization12 %100 %98 %03:05:39, 14 s into spike',
    'not enough to tell whether memory grows',
    'warm-up not measured03:04:0520 s',
    'rate_limited90003:05:28 1 min 24 s into the run, in spike',
    'tool40--get_user: no connection to the database within 2 s',
    'FAILrecovered p99 < 85 ms91 ms2,000',
    'POOL_SIZE=2 WORKERS=1',
    'Percentiles come from histograms',
  ]) {
    assert.ok(text.includes(part), `${part}\n${text}`);
  }
});

test('links lead to places of the page, names of places are there once, and nothing is loaded', async () => {
  const run = await spikeRun();
  const parsed = parse(renderReport(run, timelineOf(run)));
  const ids = attribute(parsed, 'id');
  assert.equal(new Set(ids).size, ids.length, ids.join(' '));
  const links = attribute(parsed, 'href').filter((href) => !href.startsWith('data:'));
  for (const link of links) assert.ok(link.startsWith('#') && ids.includes(link.slice(1)), link);
  for (const series of ['pool_utilization', 'pool_wait', 'client.p99'])
    assert.ok(links.includes(`#${chartId(series)}`));
  // There is no such series in the timeline.
  assert.ok(!links.includes(`#${chartId('never_collected')}`));
  assert.deepEqual(attribute(parsed, 'src'), []);
  assert.deepEqual(attribute(parsed, 'style'), []);
});

/**
 * @param {any} value
 * @param {string} [key]
 * @returns {any} the same, with what a server or a person may have written made hostile
 */
function hostile(value, key = '') {
  const FREE = [
    'title statement subject sample reason expression name url version knob operation method class workload profile',
    'testid test os cpu node k6 era dialect protocol_version phase first_phase series signal metric relative_to',
  ]
    .join(' ')
    .split(' ');
  if (typeof value === 'string') return FREE.includes(key) ? `${value} ${HOSTILE}` : value;
  if (Array.isArray(value))
    return value.map((one) => hostile(one, ['evidence', 'reasons', 'notes'].includes(key) ? 'title' : key));
  if (value === null || typeof value !== 'object') return value;
  if (key === 'labels') return { [HOSTILE]: HOSTILE };
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hostile(one, name)]));
}

test('hostile names and texts are text in every place', async () => {
  const plain = await spikeRun();
  const table = {
    title: HOSTILE,
    columns: [
      { name: HOSTILE, unit: 'text' },
      { name: 'n', unit: 'ms' },
    ],
    rows: [[HOSTILE, 1]],
    notes: [HOSTILE],
  };
  const run = hostile({ ...plain, tables: [table] });
  const timeline = timelineOf(plain);
  timeline.signals[HOSTILE] = { unit: HOSTILE, values: timesOf(timeline).map((_, index) => index) };
  timeline.client[`failures_${HOSTILE}`] = { unit: 'rate', values: timesOf(timeline).map(() => 1) };
  const benign = parse(renderReport(plain, timelineOf(plain)));
  const { elements, text, comments, scripts } = parse(renderReport(run, timeline));
  const tags = (/** @type {Element[]} */ all) => [...new Set(all.map(({ tag }) => tag))].sort();
  assert.deepEqual(tags(elements), tags(benign.elements));
  assert.deepEqual(comments, []);
  for (const { tag, attributes } of elements) {
    for (const name of Object.keys(attributes))
      assert.ok(!name.startsWith('on') && name !== 'style', `${tag} ${name}`);
  }
  // The style, the data and the script.
  assert.equal(scripts.length, 3);
  assert.doesNotThrow(() => JSON.parse(scripts[1] ?? ''));
  assert.equal(scripts[2], benign.scripts[2]);
  assert.ok(text.split(HOSTILE).length > 60, String(text.split(HOSTILE).length));
});

test('the same run and timeline make the same bytes, also when they were stored in between', async () => {
  const run = await spikeRun();
  const timeline = timelineOf(run);
  const folders = ['one', 'two'].map((name) => join(scratch, name));
  for (const folder of folders) mkdirSync(folder);
  const [one = '', two = ''] = folders;
  const names = writeReports(one, run, timeline);
  writeReports(two, JSON.parse(JSON.stringify(run)), JSON.parse(JSON.stringify(timeline)));
  assert.deepEqual(names.toSorted(), ['junit.xml', 'report.html', 'report.md', 'summary.csv']);
  assert.deepEqual(readdirSync(one).sort(), names.toSorted());
  for (const name of names)
    assert.ok(readFileSync(join(one, name)).equals(readFileSync(join(two, name))), name);
});

test('what is missing is said: no timeline, no summary, a set-up that failed', async () => {
  const run = await spikeRun();
  const without = parse(renderReport(run, null));
  assert.match(without.text, /There are no charts: this run has no timeline\.json/);
  assert.equal(JSON.parse(without.scripts[1] ?? ''), null);
  assert.deepEqual(
    attribute(without, 'href').filter((href) => href.startsWith('#chart-')),
    [],
  );
  const dead = await runOf({ summary: null, summaryProblem: 'k6 left no summary.json', k6Exit: 137 });
  const page = parse(renderReport(dead, null));
  assert.match(
    page.text,
    /error.*k6 ended with exit code 137 \(killed, as the system does where memory runs out\)/s,
  );
  assert.deepEqual(
    page.elements.flatMap(({ tag, attributes }) => (tag === 'section' ? [attributes.id] : [])),
    ['verdict', 'environment'],
  );
  const setUp = await runOf({
    summary: summary({ startedMs: null, ranS: 0.1, phases: [{ name: 'a' }] }),
    k6Exit: 108,
  });
  assert.match(parse(renderReport(setUp, null)).text, /k6 ended with exit code 108/);
});

test('charts: every signal that moved is drawn once, one that was zero throughout is named', async () => {
  const run = await spikeRun();
  const timeline = timelineOf(run);
  const { groups, quiet, series } = chartsOf(run, timeline);
  const charts = groups.flatMap((group) => group.charts);
  const places = charts.flatMap(({ id, anchors }) => [id, ...anchors]);
  const moved = Object.entries(timeline.signals).filter(([, { values }]) =>
    values.some((value) => value !== 0),
  );
  for (const [name] of moved) assert.ok(places.includes(chartId(name)), name);
  for (const name of Object.keys(timeline.client))
    assert.ok(places.includes(chartId(`client.${name}`)), name);
  assert.deepEqual(
    quiet.map(({ title }) => title),
    ['Deadlocks', 'Redis evictions'],
  );
  assert.ok(charts.some(({ topic, title }) => topic === 'Other' && title === 'Never heard of'));
  for (const { lines } of charts)
    for (const line of lines) assert.equal(series[line.series]?.length, timeline.count);
});

test('charts: every signal of the catalogue has a place of its own', () => {
  const placed = SIGNAL_GROUPS.flatMap((group) => group.signals);
  assert.equal(new Set(placed).size, placed.length);
  for (const name of Object.keys(SIGNALS)) assert.ok(placed.includes(name.split(':')[0] ?? ''), name);
});

test("charts: panels use nothing that the viewer's renderer does not know", async () => {
  const run = await spikeRun();
  const panels = chartsOf(run, timelineOf(run)).groups.flatMap(({ charts }) =>
    charts.map(({ panel }, index) => ({
      ...JSON.parse(JSON.stringify(panel)),
      id: index,
      title: 'x',
      gridPos: {},
    })),
  );
  assert.deepEqual(unsupported({ uid: 'x', title: 'x', panels }), []);
});

test('charts: limits of objectives are drawn where they hold, those of findings in the chart they are about', async () => {
  const run = await spikeRun();
  const timeline = timelineOf(run);
  const { groups, series } = chartsOf(run, timeline);
  const limit = series['limit.p99_ms'] ?? [];
  const at = (/** @type {string} */ name) => {
    const phase = run.phases.find((one) => one.name === name);
    const middleS = (Date.parse(phase?.start ?? '') + Date.parse(phase?.end ?? '')) / 2000;
    return limit[Math.round((middleS - timeline.start_s) / timeline.step_s)];
  };
  assert.deepEqual(['warm-up', 'baseline', 'spike', 'recovery', 'recovered'].map(at), [
    null,
    85,
    null,
    null,
    85,
  ]);
  const charts = groups.flatMap((group) => group.charts);
  const pool = charts.find(({ id }) => id === chartId('pool_utilization'));
  const { thresholds, unit } = fieldConfig(pool?.panel, { name: '', refId: 'pool_utilization' });
  assert.deepEqual([unit, thresholds?.steps.map(({ value }) => value)], ['percentunit', [null, 0.8, 0.98]]);
  assert.deepEqual(
    pool?.marks.map(({ title, fromS, toS }) => [title, fromS - timeline.start_s, toS - fromS]),
    [['finding 1', 94, 0]],
  );
  assert.deepEqual(charts.find(({ id }) => id === chartId('memory'))?.marks, []);
  assert.deepEqual(
    phaseMarks(run).map(({ title, color }) => [title, color]),
    [
      ['warm-up', 'gray'],
      ['baseline', 'blue'],
      ['spike', 'orange'],
      ['recovery', 'orange'],
      ['recovered', 'blue'],
    ],
  );
});

/** A day of load: as much of everything as there may be. */
async function day() {
  const names = Array.from({ length: 20 }, (_, index) => `window-${index + 1}`);
  const kinds = 'connect timeout http_4xx rate_limited http_5xx protocol jsonrpc tool unexpected'.split(' ');
  const run = await runOf({
    summary: summary({
      phases: names.map((name) => ({
        name,
        duration_s: 4320,
        figures: { iterations: 432_000, failures: Object.fromEntries(kinds.map((kind) => [kind, 9])) },
      })),
      plan: {
        operations: Array.from({ length: 50 }, (_, index) => ({
          operation: `an_operation_with_a_long_name_${index}`,
          method: 'tools/call',
          class: 'read',
        })),
      },
    }),
  });
  const signals = Array.from(
    { length: 60 },
    (_, index) =>
      /** @type {[string, string, number, number]} */ ([`signal_${index}`, 'bytes', 1.2345e8, 9.8765e9]),
  );
  const timeline = timelineOf(run, signals);
  const at = run.phases[3]?.start ?? null;
  const findings = Array.from({ length: 100 }, (_, index) => ({
    kind: /** @type {const} */ ('bottleneck'),
    subject: `resource ${index}`,
    phase: 'window-4',
    confidence: /** @type {const} */ ('high'),
    statement: `${index} ${'limited the run '.repeat(20)}`.slice(0, 490),
    figures: {},
    evidence: Array.from({ length: 8 }, () => 'because of this and that '.repeat(15)),
    observations: Array.from({ length: 6 }, (_, turn) => ({
      series: `signal_${(index + turn) % 60}`,
      unit: 'bytes',
      from: 1e8,
      to: 9e9,
      threshold: 8e9,
      at,
    })),
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
  // All of its charts are there.
  assert.ok(readFileSync(join(folder, 'report.html'), 'utf8').includes(`id="${chartId('signal_59')}"`));
});

/** @param {string[]} args @param {Record<string, string>} [env] */
const command = (args, env = {}) =>
  spawnSync(process.execPath, ['cli/main.ts', 'report', ...args], {
    encoding: 'utf8',
    env: { ...process.env, RESULTS_DIR: join(scratch, 'results'), ...env },
  });

test('the command: by name, latest or path; what is wrong is one line and exit code 2', async () => {
  const run = await spikeRun();
  const results = join(scratch, 'results');
  const folder = join(results, run.testid);
  const missing = command([run.testid]);
  assert.deepEqual([missing.status, missing.stdout], [2, '']);
  assert.match(
    missing.stderr,
    /^error: RUN is "spike-.*"; valid: latest, the path of a results folder, or a run's name, of which .* has none\n$/,
  );
  mkdirSync(folder, { recursive: true });
  symlinkSync(run.testid, join(results, 'latest'));
  assert.match(command([]).stderr, /^error: .* has no run\.json: no run was judged there\n$/);
  writeFileSync(join(folder, 'run.json'), '{"schema": 1');
  assert.match(command([]).stderr, /^error: .*run\.json can't be read as JSON: .*\n$/);
  writeFileSync(join(folder, 'run.json'), '{"schema": "another"}');
  assert.match(command([]).stderr, /^error: .*run\.json is not a run document of this version: .*\n$/);
  writeFileSync(join(folder, 'run.json'), JSON.stringify(run));

  const without = command(['latest']);
  assert.equal(without.status, 0, without.stderr);
  assert.match(without.stderr, /has no timeline\.json, so report\.html has no charts\n$/);
  writeFileSync(join(folder, 'timeline.json'), JSON.stringify({ ...timelineOf(run), testid: 'another' }));
  assert.match(command([folder]).stderr, /timeline\.json is of another, and not of spike-/);
  writeFileSync(join(folder, 'timeline.json'), JSON.stringify(timelineOf(run)));
  /** @type {string[]} */
  const made = [];
  for (const wanted of [run.testid, 'latest', folder]) {
    const { status, stdout, stderr } = command([wanted]);
    assert.deepEqual([status, stderr], [0, '']);
    assert.equal(stdout.trim().split('\n').length, 4);
    made.push(readFileSync(join(folder, 'report.html'), 'utf8'));
  }
  assert.equal(new Set(made).size, 1);
  assert.equal(made[0], renderReport(run, timelineOf(run)));
  const wrong = command(['nowhere']);
  assert.equal(wrong.status, 2);
  assert.ok(wrong.stderr.includes(`a run's name: ${run.testid}`), wrong.stderr);
});
