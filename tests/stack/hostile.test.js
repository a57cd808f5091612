/** A server that means harm with all that it can say, loaded by discovery alone: what it costs, and what it leaves behind. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { askPrometheus, command } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { processTree } from '../process-tree.js';
import { MARK, startHostile, TOOLS } from './hostile-server.js';

await ownStack({ up: 'observe' });

/** What a terminal obeys, and what turns the direction of a text: in none of what a run leaves or says. */
const HARMFUL = /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u200b\u2028\u2029\ufeff]/u;
const LONGEST_S = 150;
/** Series of one run: fifty operations, six kinds of failure of each, times some twenty metrics. */
const MOST_SERIES = 4000;
const MOST_MIB = { k6: 3000, node: 600 };

/** @type {Awaited<ReturnType<typeof startHostile>>} */
let server;
/** @type {Awaited<ReturnType<typeof command>>} */
let run;
let folder = '';
/** Largest resident memory seen, MiB, by program. @type {Record<string, number>} */
const peak = { k6: 0, node: 0 };

/** The k6 of the load. */
let k6 = '';

/** Notes what the run's processes hold, and k6's command line. */
function look() {
  const own = process.pid;
  for (const { pid, command: line } of processTree(own)) {
    if (pid === own) continue;
    const program = /\/k6( |$)/.test(line) ? 'k6' : /(^|\/)node /.test(line) ? 'node' : '';
    if (program === 'k6' && line.includes('prometheus-rw')) k6 = line;
    try {
      const kib = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      if (program && kib) peak[program] = Math.max(peak[program] ?? 0, Number(kib) / 1024);
    } catch {
      // It has ended meanwhile.
    }
  }
}

before(async () => {
  server = await startHostile();
  const timer = setInterval(look, 250);
  run = await command('scripts/run', [
    ...[
      'load',
      'PROFILE=smoke',
      'REQUESTS=600',
      'CONCURRENCY=5',
      'THRESHOLDS=off',
      `TARGET_URL=${server.url}`,
    ],
  ]);
  clearInterval(timer);
  folder = /^results: (.*)$/m.exec(run.output)?.[1] ?? '';
});
after(() => server.close());

/** @param {string} name */
const read = (name) => readFileSync(join(folder, name), 'utf8');

/** @param {string} program @param {string} input @returns {any} what an independent reader makes of a file */
const python = (program, input) =>
  JSON.parse(
    execFileSync('python3', ['-c', `import sys, json, csv, io\n${program}`], {
      ...{ input, encoding: 'utf8', maxBuffer: 2 ** 26 },
    }),
  );

/** @param {string} page @returns {string[]} what would run a script, or ask another server for something */
function strayAttributes(page) {
  const attributes = python(
    [
      'from html.parser import HTMLParser',
      'found = []',
      'class Reader(HTMLParser):',
      '  def handle_starttag(self, tag, attrs):',
      '    found.append([tag, "", ""])',
      '    found.extend([tag, name, value or ""] for name, value in attrs)',
      'Reader().feed(sys.stdin.buffer.read().decode())',
      'print(json.dumps(found))',
    ].join('\n'),
    page,
  );
  assert.ok(attributes.length > 50);
  const safe = /^(#|data:image\/svg\+xml;base64,)/;
  return attributes
    .filter(
      (/** @type {string[]} */ [tag = '', name = '', value = '']) =>
        ['img', 'iframe', 'object', 'embed'].includes(tag) ||
        name.startsWith('on') ||
        (['href', 'src', 'action', 'data', 'srcdoc'].includes(name) && !safe.test(value)),
    )
    .map((/** @type {string[]} */ attribute) => attribute.join(' ').slice(0, 200));
}

const WELL_FORMED =
  'import xml.etree.ElementTree as E\nprint(json.dumps([c.get("name") for c in E.fromstring(sys.stdin.buffer.read()).iter("testcase")]))';

test('it ends soon, with a verdict, and says what was left out', (t) => {
  assert.ok([0, 98].includes(run.code ?? -1), run.output.slice(-3000));
  assert.ok(run.seconds < LONGEST_S, `${run.seconds} s`);
  const flat = run.output.replace(/\s+/g, ' ');
  // On a busy machine a list of fifty megabytes is not read to its end in the time that a list gets.
  assert.match(flat, /\d+ more tools: \d+ of \d+ are loaded, evenly spaced/);
  assert.match(flat, /(\d+) tools, 20 resources, 20 prompts/);
  assert.match(run.output, /^VERDICT /m);
  t.diagnostic(
    `${TOOLS} tools, ${run.seconds.toFixed(0)} s, peak k6 ${peak.k6?.toFixed(0)} MiB, node ${peak.node?.toFixed(0)} MiB`,
  );
});

test('its memory is bounded', () => {
  for (const [program, most] of Object.entries(MOST_MIB)) {
    assert.ok((peak[program] ?? 0) > 10 && (peak[program] ?? 0) < most, `${program}: ${peak[program]} MiB`);
  }
});

test("k6's own API is on loopback alone, at an address that nobody guesses", () => {
  assert.match(k6, / --address 127\.(?!0\.0\.1:)\d+\.\d+\.\d+:\d+ /);
});

test('every kind of failure that it makes is in the report', () => {
  const kinds = JSON.parse(read('run.json')).failures.map((/** @type {any} */ { kind }) => kind);
  for (const kind of ['tool', 'jsonrpc', 'rate_limited', 'http_5xx', 'protocol', 'unexpected']) {
    assert.ok(kinds.includes(kind), `${kind} of ${kinds}`);
  }
});

test('no escape code in any file, nor in what the run said', () => {
  const files = readdirSync(folder);
  assert.ok(files.length >= 10, files.join());
  for (const name of files) {
    const text = read(name);
    const found = HARMFUL.exec(text);
    assert.equal(
      found,
      null,
      `${name}: ${JSON.stringify(text.slice((found?.index ?? 0) - 60, (found?.index ?? 0) + 20))}`,
    );
  }
  assert.doesNotMatch(run.output, HARMFUL);
  for (const name of ['run.json', 'report.md', 'summary.csv', 'plan.json', 'workload.json', 'k6.log']) {
    assert.ok(
      name === 'summary.csv' || read(name).includes(MARK),
      `${name} has what was to be made harmless`,
    );
  }
});

test('texts are bounded, and so are the files', () => {
  const longest = (/** @type {unknown} */ value) => {
    let most = 0;
    JSON.stringify(value, (key, each) => {
      most = Math.max(most, key.length, typeof each === 'string' ? each.length : 0);
      return each;
    });
    return most;
  };
  for (const name of ['run.json', 'plan.json']) assert.ok(longest(JSON.parse(read(name))) <= 520, name);
  for (const name of readdirSync(folder)) assert.ok(read(name).length < 2_000_000, name);
});

test('report.html: nothing of it is markup', () => {
  const page = read('report.html');
  assert.ok(page.includes(MARK));
  // tests/browser/hostile.test.js opens such a page.
  assert.deepEqual(strayAttributes(page), []);
});

test('report.md: tables are whole, and nothing is a link, an image or a mention', () => {
  const lines = read('report.md').split('\n');
  let columns = 0;
  for (const line of lines) {
    if (!line.startsWith('|')) columns = 0;
    else {
      const cells = line.replace(/\\./g, '').split('|').length;
      columns ||= cells;
      assert.equal(cells, columns, line);
    }
    const plain = line.replace(/\\./g, '');
    assert.doesNotMatch(plain, /<(?!\/?(sub|br)\b)|\]\(|(?<!&#\d+;)@\w|https?:\/\/(?=\S*HOSTILE)/, line);
  }
});

test('junit.xml is well-formed', () => {
  const cases = python(WELL_FORMED, read('junit.xml'));
  assert.ok(cases.includes('verdict'));
});

test('summary.csv: no cell is a formula, and numbers are numbers', () => {
  const rows = python(
    'print(json.dumps(list(csv.reader(io.StringIO(sys.stdin.read())))))',
    read('summary.csv'),
  );
  for (const cell of rows.flat()) assert.ok(/^[^=+@\t\r-]/.test(cell) || /^-?[\d.]*$/.test(cell), cell);
});

test('a comparison of such runs is harmless, too', async () => {
  const id = folder.split('/').at(-1) ?? '';
  const [one, other] = [`${folder}-one`, `${folder}-other`];
  // Of a run that a busy machine made invalid nothing would be compared.
  const { verdict: _, ...rest } = JSON.parse(read('run.json'));
  const text = JSON.stringify({ ...rest, verdict: { outcome: 'pass', exit_code: 0, reasons: ['all held'] } });
  for (const made of [one, other]) {
    mkdirSync(made);
    writeFileSync(join(made, 'run.json'), text.replaceAll(id, made.split('/').at(-1) ?? ''));
  }
  try {
    const env = { BASE: one, HEAD: other, OPERATIONS: '1', INCLUDE_FAILED: '1', ALLOW_SINGLE_RUN: '1' };
    const { code, output } = await command('scripts/compare', [], env);
    assert.ok([0, 98, 99].includes(code ?? -1), output);
    assert.doesNotMatch(output, HARMFUL);
    const made = /^results: (.*)$/m.exec(output)?.[1] ?? '';
    const files = readdirSync(made);
    assert.ok(files.includes('comparison.html') && files.includes('junit.xml'), files.join());
    for (const name of files) assert.doesNotMatch(readFileSync(join(made, name), 'utf8'), HARMFUL, name);
    assert.ok(readFileSync(join(made, 'comparison.md'), 'utf8').includes(MARK));
    assert.deepEqual(strayAttributes(readFileSync(join(made, 'comparison.html'), 'utf8')), []);
    python(WELL_FORMED, readFileSync(join(made, 'junit.xml'), 'utf8'));
  } finally {
    for (const made of [one, other]) rmSync(made, { recursive: true });
  }
});

test('Prometheus: the series of the run are bounded, and so are their labels', async (t) => {
  /** @type {Record<string, string>[]} */
  const data = await askPrometheus('series', { 'match[]': `{testid="${folder.split('/').at(-1)}"}` });
  assert.ok(data.length > 100 && data.length < MOST_SERIES, String(data.length));
  const operations = new Set(data.flatMap(({ operation }) => operation ?? []));
  assert.ok(operations.size <= 60, [...operations].join());
  for (const labels of data) {
    for (const [name, value] of Object.entries(labels)) {
      assert.ok(value.length <= 200, `${name} has ${value.length} characters`);
      assert.doesNotMatch(value, HARMFUL, name);
    }
  }
  t.diagnostic(`${data.length} series, ${operations.size} operations`);
});

test('nothing that it offered to run was run, and nobody followed where it led', () => {
  assert.deepEqual(
    readdirSync('.').filter((name) => name.includes(MARK)),
    [],
  );
  assert.doesNotMatch(run.output, /^VERDICT pass$/m);
});
