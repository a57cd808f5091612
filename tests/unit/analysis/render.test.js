import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { headline } from '../../../analysis/judge/headline.ts';
import { renderCsv } from '../../../analysis/render/csv.ts';
import { renderJunit } from '../../../analysis/render/junit.ts';
import { WIDTH } from '../../../analysis/render/layout.ts';
import { escapeMarkdown, renderMarkdown } from '../../../analysis/render/markdown.ts';
import { renderTerminal } from '../../../analysis/render/terminal.ts';
import { pageOfRun } from '../../../analysis/report/run-page.ts';
import { gauge, near, objective, QUIET_LOG, runOf, signal, summary, trend } from './build.js';
import { spikeRun } from './report-fixture.js';

/**
 * @param {import('./build.js').Spec} spec
 * @param {Partial<import('../../../analysis/collect/observe.ts').Server>} [server]
 * @param {Partial<Parameters<typeof runOf>[0]>} [collected]
 */
const run = (spec, server = {}, collected = {}) => runOf({ summary: summary(spec), ...collected }, server);

const SIGNALS = [
  ...[
    'cpu',
    'pool_utilization',
    'cache_hit',
    'host_cpu',
    'host_memory',
    'db_connections',
    'generator_cpu',
  ].map((name) => /** @type {const} */ ([name, 'ratio', 0.421])),
  ...['memory', 'redis_memory', 'generator_memory'].map(
    (name) => /** @type {const} */ ([name, 'bytes', 734_003_200]),
  ),
  ...['pool_waiting', 'sessions', 'db_locks'].map((name) => /** @type {const} */ ([name, 'count', 1234])),
  ...['pool_wait', 'eventloop_lag', 'upstream'].map(
    (name) => /** @type {const} */ ([name, 'seconds', 0.0123]),
  ),
  ...['rate_limited', 'db_transactions'].map((name) => /** @type {const} */ ([name, 'rate', 1850])),
  ...['network', 'disk_io'].map((name) => /** @type {const} */ ([name, 'bytes_rate', 45_678_901])),
  ...['breaker_open', 'deadlocks', 'redis_evictions'].map((name) => /** @type {const} */ ([name, 'rate', 0])),
];

/** @param {string[]} names of the phases */
const signalsIn = (names) =>
  SIGNALS.flatMap(([name, unit, value]) => names.map((phase) => signal(name, phase, value, unit)));

const OPERATIONS = [
  'get_user',
  'search_users',
  'update_user',
  'generate_report',
  'fetch_weather',
  'process_batch',
];

/** The main job as it comes out at its fullest: every table has rows, some objectives are missed. */
function spike() {
  return run(
    {
      phases: [
        { name: 'warm-up', measured: false },
        { name: 'baseline', offered_rps: 100, figures: { iterations: 2000, p99: 132 } },
        {
          name: 'spike',
          offered_rps: 2000,
          overload: true,
          figures: {
            iterations: 24_000,
            dropped: 16_000,
            failures: { timeout: 120, tool: 40, rate_limited: 900 },
            p99: 1234.5,
          },
        },
        { name: 'recovery', offered_rps: 100, overload: true, figures: { iterations: 2000 } },
        { name: 'recovered', offered_rps: 100, figures: { iterations: 2000 } },
      ],
      objectives: ['baseline', 'recovered'].flatMap((name) => [
        objective(name, 'delivered_share', '>=', 0.95),
        objective(name, 'p99_ms', '<', 85),
        objective(name, 'failure_rate', '<', 0.001),
      ]),
      plan: {
        operations: OPERATIONS.map((operation) => ({ operation, method: 'tools/call', class: 'read' })),
        reference_machine: { cores: 64, memory_bytes: 1 },
      },
      metrics: {
        ...Object.fromEntries(
          OPERATIONS.map((name) => [
            `mcp_request_duration{operation:${name}}`,
            { values: trend(1234, 5000) },
          ]),
        ),
        ...Object.fromEntries(
          OPERATIONS.map((name) => [`mcp_requests{operation:${name}}`, { values: { count: 5000 } }]),
        ),
        'mcp_failure_seconds{kind:timeout}': gauge(42.25, 61),
        'mcp_failure_seconds{kind:rate_limited}': gauge(40.5, 61),
      },
    },
    {
      signals: signalsIn(['baseline', 'spike', 'recovery', 'recovered']),
      silent: ['db_locks'],
    },
    { k6Exit: 99, log: { ...QUIET_LOG, samples: { tool: 'get_user: no connection' } } },
  );
}

/** 24 windows, each with objectives of its own. */
function soak() {
  const names = Array.from({ length: 24 }, (_, index) => `soak-${String(index + 1).padStart(2, '0')}`);
  return run(
    {
      phases: names.map((name) => ({
        name,
        duration_s: 3600,
        offered_rps: 400,
        figures: { iterations: 1_440_000, p99: 900, avg: 20 },
      })),
      objectives: names.map((name) => objective(name, 'p99_ms', '<', 300)),
    },
    { signals: signalsIn(names) },
    { k6Exit: 99 },
  );
}

/** What a server says of itself to get out of a table, a shell, a spreadsheet or a page. */
const HOSTILE =
  '|`</td><script>alert(1)</script> [x](http://evil) ![i](//e) @all \n# head\u001b[31m\u0000 ]]> =1+1';

/** @param {string} name */
const hostile = (name) =>
  run(
    {
      phases: [{ name, figures: { failures: { tool: 2 } } }],
      objectives: [objective(name, 'p99_ms', '<', 1)],
      plan: {
        title: HOSTILE,
        target: { url: `http://127.0.0.1/${HOSTILE}`, server: { name: HOSTILE, version: HOSTILE } },
        operations: [{ operation: HOSTILE, method: HOSTILE, class: HOSTILE }],
      },
    },
    {},
    { log: { ...QUIET_LOG, samples: { tool: HOSTILE } } },
  );

/** @param {string} program @param {string} input @returns {any} what an independent reader makes of a file */
function python(program, input) {
  return JSON.parse(
    execFileSync('python3', ['-c', `import sys, json, csv, io\n${program}`], { input, encoding: 'utf8' }),
  );
}

/** @param {string} csv @returns {Record<string, string>[]} */
const readCsv = (csv) =>
  python(
    "print(json.dumps(list(csv.DictReader(io.StringIO(sys.stdin.buffer.read().decode(), newline='')))))",
    csv,
  );

/** @param {string} xml @returns {{suite: Record<string, string>, cases: {name: string, time: string | null, parts: Record<string, [string | null, string | null]>}[]}} */
const readJunit = (xml) =>
  python(
    [
      'import xml.etree.ElementTree as E',
      'root = E.fromstring(sys.stdin.buffer.read())',
      'suite = root.find("testsuite")',
      'cases = [{"name": c.get("name"), "time": c.get("time"), "parts": {p.tag: [p.get("message"), p.text] for p in c}} for c in suite.iter("testcase")]',
      'print(json.dumps({"suite": suite.attrib, "cases": cases}))',
    ].join('\n'),
    xml,
  );

const PLAIN = { directory: 'results/x', colours: false };
const ESCAPE = String.fromCharCode(27);

test('CSV: the documented columns first, one row a phase', async () => {
  const csv = renderCsv(await spike());
  assert.equal(
    csv.split('\n')[0]?.split(',').slice(0, 13).join(),
    'phase,duration_sec,total_requests,successful,errors,error_rate_pct,rps,avg_latency_ms,median_latency_ms,' +
      'min_latency_ms,max_latency_ms,p95_latency_ms,p99_latency_ms',
  );
  const [warmUp, baseline, peak] = readCsv(csv);
  near(
    [warmUp?.phase, warmUp?.measured, warmUp?.total_requests, warmUp?.p99_latency_ms],
    ['warm-up', 'false', '', ''],
  );
  near(
    [
      baseline?.duration_sec,
      baseline?.total_requests,
      baseline?.successful,
      baseline?.errors,
      baseline?.rps,
      baseline?.p99_latency_ms,
    ],
    ['20', '2000', '2000', '0', '100', '132'],
  );
  near(
    [
      peak?.successful,
      peak?.errors,
      peak?.error_rate_pct,
      peak?.dropped_iterations,
      peak?.errors_timeout,
      peak?.errors_connect,
    ],
    ['22940', '1060', '4.4167', '16000', '120', '0'],
  );
});

test('CSV: no text is a formula', async () => {
  for (const start of ['=', '+', '-', '@']) {
    const name = `${start}cmd|' /C calc'!A1,"x"`;
    const [row] = readCsv(renderCsv(await hostile(name)));
    assert.equal(row?.phase, `'${name}`);
    assert.equal(row?.total_requests, '200');
  }
});

test('JUnit: a case a threshold and one for the verdict, counted right', async () => {
  const made = await spike();
  const { suite, cases } = readJunit(renderJunit(made));
  const found = made.findings.filter(({ kind }) => kind !== 'note');
  assert.equal(cases.length, made.thresholds.length + found.length + 1);
  const unclear = found.filter(({ confidence }) => confidence === 'inconclusive');
  assert.deepEqual(
    [suite.tests, suite.failures, suite.errors, suite.skipped],
    [String(7 + found.length), '2', '0', String(unclear.length)],
  );
  const failed = cases.find(({ name }) => name === 'baseline p99 < 85 ms');
  assert.deepEqual(failed?.parts.failure?.[0], 'baseline p99 was 132 ms, objective < 85 ms (2,000 samples)');
  assert.deepEqual(cases.find(({ name }) => name === 'recovered p99 < 85 ms')?.parts, {});
  assert.deepEqual(Object.keys(cases.at(-1)?.parts ?? {}), ['failure']);
  assert.equal(cases.at(-1)?.time, '100');
});

test('JUnit: what could not be judged is skipped, an invalid run is an error', async () => {
  const made = await run({ phases: [{ name: 'a' }], objectives: [objective('a', 'p99_ms', '<', 85)] });
  const { suite, cases } = readJunit(renderJunit(made));
  assert.deepEqual([suite.tests, suite.failures, suite.errors, suite.skipped], ['2', '0', '1', '1']);
  assert.deepEqual(Object.keys(cases[0]?.parts ?? {}), ['skipped', 'system-out']);
  assert.match(cases[1]?.parts.error?.[1] ?? '', /^a had no requests/);
  assert.equal(cases[1]?.parts.error?.[0], made.headline);
});

/** @param {string} name of an operation that the server could not answer when discovery tried it */
const withFailedProbe = (name) =>
  run({
    phases: [{ name: 'a', figures: {} }],
    objectives: [objective('a', 'p99_ms', '<', 85)],
    plan: {
      left_out: [
        { operation: name, failed: 'HTTP 500', reason: 'call failed (http_5xx): HTTP 500: out of order' },
        { operation: 'drop', reason: 'destructive' },
      ],
    },
  });

test('what discovery left out because the server failed is in run.json and in every report of a pass', async () => {
  const made = await withFailedProbe('broken');
  const said = '1 operation failed in discovery and was left out: broken (HTTP 500)';
  const reason = 'call failed (http_5xx): HTTP 500: out of order';
  assert.deepEqual([made.verdict.outcome, made.verdict.exit_code], ['pass', 0]);
  assert.deepEqual(made.failed_probes, [{ operation: 'broken', failed: 'HTTP 500', reason }]);
  assert.ok(made.headline?.startsWith(`PASS: 1 threshold held; ${said}.`), made.headline);
  const terminal = renderTerminal(made, PLAIN).replace(/\s+/g, ' ');
  assert.equal(terminal.split(said).length, 2, terminal);
  const markdown = renderMarkdown(made);
  assert.match(markdown, /^# ✅ PASS: .*broken \(HTTP 500\)/m);
  assert.match(markdown, /^\| broken \| HTTP 500 \| call failed \(http_5xx\): HTTP 500: out of order \|$/m);
  const { suite, cases } = readJunit(renderJunit(made));
  assert.deepEqual([suite.failures, suite.errors, suite.skipped], ['0', '0', '1']);
  const skipped = cases.find(({ name }) => name === 'operation broken');
  assert.deepEqual(Object.keys(skipped?.parts ?? {}), ['skipped', 'system-out']);
  assert.match(renderJunit(made), /left out because it failed: HTTP 500/);
  assert.doesNotMatch(`${terminal}${markdown}${renderJunit(made)}`, /\bdrop\b/);
  const page = pageOfRun(made, null);
  assert.deepEqual(page.sections.find(({ id }) => id === 'left-out')?.tables?.[0]?.rows, [
    ['broken', 'HTTP 500', reason],
  ]);
});

test('a run without such an operation has nothing of it', async () => {
  const made = await run({ phases: [{ name: 'a', figures: {} }] });
  assert.ok(!('failed_probes' in made));
  assert.doesNotMatch(renderMarkdown(made) + renderJunit(made), /it failed|because it failed/);
});

test('JUnit: a pass has no failure, a dead k6 one error', async () => {
  const passed = readJunit(renderJunit(await run({ phases: [{ name: 'a', figures: {} }] })));
  assert.deepEqual([passed.suite.failures, passed.suite.errors], ['0', '0']);
  const dead = await run(
    { phases: [] },
    {},
    { summary: null, summaryProblem: 'k6 left no summary.json', k6Exit: 137 },
  );
  const { suite, cases } = readJunit(renderJunit(dead));
  assert.deepEqual([suite.tests, suite.errors, cases[0]?.parts.error?.[0]], ['1', '1', dead.headline]);
});

/** @type {import('../../../analysis/findings/finding.ts').Finding} */
const POOL = {
  kind: 'bottleneck',
  subject: 'connection pool',
  phase: 'spike',
  confidence: 'high',
  statement: 'the connection pool limited spike',
  figures: {},
  evidence: ['the database was idle'],
  observations: [
    {
      series: 'pool_utilization',
      unit: 'ratio',
      from: 0.12,
      to: 1,
      threshold: 0.98,
      at: '2026-01-02T03:04:59.000Z',
    },
    {
      series: 'client.p99',
      unit: 'milliseconds',
      from: 132,
      to: null,
      threshold: null,
      at: '2026-01-02T03:05:44.400Z',
    },
    { series: 'db_io', unit: 'count', from: null, to: null, threshold: null, at: null },
  ],
};
const OBSERVED = [
  'pool utilization 12 % -> 100 % (limit 98 %) at 00:54, 14 s into spike',
  'p99 132 ms -> - at 01:39',
  'db io: no data',
];

/** @param {import('../../../analysis/findings/finding.ts').Finding[]} findings @param {Partial<import('../../../analysis/judge/verdict.ts').Verdict>} [verdict] */
async function withFindings(findings, verdict = {}) {
  const made = await spike();
  return { ...made, findings, verdict: { ...made.verdict, ...verdict } };
}

test('JUnit: a finding is a case that passes, with its evidence; what there was too little for is skipped', async () => {
  const vague = { ...POOL, confidence: /** @type {const} */ ('inconclusive') };
  const leak = { ...POOL, kind: /** @type {const} */ ('leak'), subject: 'memory', phase: null };
  const note = { ...POOL, kind: /** @type {const} */ ('note') };
  const { suite, cases } = readJunit(renderJunit(await withFindings([POOL, vague, leak, note])));
  const found = cases.filter(({ name }) => name.startsWith('finding: '));
  assert.deepEqual(
    found.map(({ name, parts }) => [name, Object.keys(parts)]),
    [
      ['finding: bottleneck, connection pool in spike', ['system-out']],
      ['finding: bottleneck, connection pool in spike (2)', ['skipped', 'system-out']],
      ['finding: leak, memory', ['system-out']],
    ],
  );
  assert.equal(
    found[0]?.parts['system-out']?.[1],
    ['the connection pool limited spike', 'the database was idle', ...OBSERVED].join('\n'),
  );
  assert.deepEqual([suite.failures, suite.errors, suite.skipped], ['2', '0', '1']);
});

test('JUnit: a generator that made the run invalid is an error, one that did not is none', async () => {
  const generator = { ...POOL, kind: /** @type {const} */ ('generator'), subject: 'generator CPU' };
  const partsIn = async (
    /** @type {import('../../../analysis/judge/verdict.ts').Verdict['outcome']} */ outcome,
  ) => {
    const run = await withFindings([generator, POOL], { outcome, exit_code: 98 });
    const { cases } = readJunit(renderJunit(run));
    return cases.filter(({ name }) => name.startsWith('finding: ')).map(({ parts }) => Object.keys(parts));
  };
  assert.deepEqual(await partsIn('invalid'), [['error'], ['system-out']]);
  assert.deepEqual(await partsIn('fail'), [['system-out'], ['system-out']]);
});

test('findings: a line each in the terminal, what they were read from in Markdown', async () => {
  const grows = `memory grows ${'and grows '.repeat(20)}`;
  const run = await withFindings([
    POOL,
    { ...POOL, kind: 'note', statement: 'a note', observations: [] },
    { ...POOL, kind: 'leak', statement: grows, phase: null },
    { ...POOL, kind: 'note', statement: 'another note', observations: [] },
  ]);
  const text = renderTerminal(run, PLAIN);
  const shown = [
    'FINDINGS (1 more in report.md)',
    '1. bottleneck: the connection pool limited spike',
    `   ${OBSERVED[0]}`,
    `${`2. leak: ${grows}`.slice(0, WIDTH - 1)}…`,
    '- a note',
  ];
  assert.ok(text.includes(`${shown.join('\n')}\n`), text);
  const markdown = renderMarkdown(run);
  assert.ok(
    markdown.includes(
      [
        '1. **bottleneck** (confidence: high): the connection pool limited spike',
        '   - the database was idle',
        '   - pool utilization 12 % -&gt; 100 % (limit 98 %) at 00:54, 14 s into spike',
      ].join('\n'),
    ),
    markdown,
  );
  assert.ok(markdown.includes('## Notes\n\n- a note'));
});

test('the resources at the highest rate are a table in Markdown and on the page, and not in the terminal', async () => {
  const row = { series: 'heap', title: 'Heap utilization', utilization: 0.5, baseline_utilization: 0.1 };
  const rows = [{ ...row, full_at_per_s: 624, predicted_per_s: 400 }];
  const resources = { phase: 'spike', answers_per_s: 312, rows };
  const made = { ...(await spike()), resources };
  const note =
    'The prediction is based on light load. An error of 2.5x is normal because a call costs less under load.';
  const table = [
    '## Resources at the highest rate',
    '',
    '312/s answered in spike',
    '',
    '| resource | in use | in use in baseline | full at | predicted from baseline |',
    '| --- | --- | --- | --- | --- |',
    '| Heap utilization | 50 % | 10 % | 624/s | 400/s |',
    '',
    note,
  ];
  assert.ok(renderMarkdown(made).includes(table.join('\n')), renderMarkdown(made));
  const section = pageOfRun(made, null).sections.find(({ id }) => id === 'resources');
  assert.deepEqual(section?.tables?.[0]?.rows, [['Heap utilization', '50 %', '10 %', '624/s', '400/s']]);
  assert.deepEqual([section?.tables?.[0]?.title, section?.texts], ['312/s answered in spike', [note]]);
  assert.doesNotMatch(renderTerminal(made, PLAIN), /Heap utilization/);
  // Without a capacity there is no highest rate.
  const [first] = rows;
  const unknown = {
    ...resources,
    answers_per_s: null,
    rows: first ? [{ ...first, predicted_per_s: null }] : [],
  };
  const { title, texts } =
    pageOfRun({ ...made, resources: unknown }, null).sections.find(({ id }) => id === 'resources') ?? {};
  assert.deepEqual([title, texts], ['Resources in spike', []]);
});

test('terminal: a finding that is a reason of the verdict is told once', async () => {
  const made = await withFindings([{ ...POOL, kind: 'generator', statement: 'k6 was short of CPU' }], {
    outcome: 'invalid',
    reasons: ['k6 was short of CPU; run it on a separate machine', 'the clock jumped'],
  });
  const text = renderTerminal({ ...made, headline: headline(made) }, PLAIN);
  assert.ok(text.startsWith('INVALID: k6 was short of CPU; run it on a separate machine.\n'), text);
  assert.equal(text.match(/short of CPU/g)?.length, 1, text);
  assert.match(text, /^- the clock jumped$/m);
  assert.doesNotMatch(text, /FINDINGS|make compare/);
});

test('Markdown: whatever there is, it fits a step summary and says what is left out', async () => {
  const made = await spike();
  const long = '|*`<&@'.repeat(80);
  const finding = { ...POOL, statement: long, evidence: Array.from({ length: 60 }, () => long) };
  const table = {
    title: 'Own',
    columns: Array.from({ length: 12 }, () => ({ name: 'x', unit: /** @type {const} */ ('text') })),
    rows: Array.from({ length: 400 }, () => Array.from({ length: 12 }, () => long)),
    notes: [],
  };
  const huge = {
    ...made,
    findings: Array.from({ length: 400 }, () => finding),
    tables: Array.from({ length: 6 }, () => table),
  };
  const text = renderMarkdown(huge);
  assert.ok(Buffer.byteLength(text) < 1_048_576, String(Buffer.byteLength(text)));
  assert.match(text, /more findings in run\.json\./);
  assert.match(text, /^- baseline p99 was 132 ms/m);
  const rest = renderMarkdown({ ...huge, tables: Array.from({ length: 60 }, () => table) });
  assert.ok(Buffer.byteLength(rest) < 1_048_576, String(Buffer.byteLength(rest)));
  assert.match(rest, /\n\nThe rest is in report\.html\.\n$/);
});

test('JUnit: hostile text is text', async () => {
  const { cases } = readJunit(renderJunit(await hostile(`a ${HOSTILE}`)));
  assert.equal(cases.length, 2);
  assert.match(cases[0]?.name ?? '', /<script>alert\(1\)<\/script>.*\]\]> =1\+1 p99 < 1 ms$/);
});

test('Markdown: hostile text is text', async () => {
  const text = renderMarkdown(await hostile(`a ${HOSTILE}`));
  const own = text.replaceAll('<sub>', '').replaceAll('</sub>', '');
  assert.ok(!own.includes('<'), own);
  assert.ok(!/(?<!\\)`/.test(text));
  assert.ok(!/(?<!\\)\]\(/.test(text));
  assert.ok(!text.includes('://'));
  assert.ok(!text.includes('@'));
  assert.ok(!text.includes(ESCAPE));
  for (const block of text.split('\n\n').filter((part) => part.startsWith('|'))) {
    const columns = block.split('\n').map((line) => line.match(/(?<!\\)\|/g)?.length);
    assert.equal(new Set(columns).size, 1, block);
  }
});

test('Markdown: names stay readable', () => {
  assert.equal(escapeMarkdown('get_user < 85 ms'), 'get_user &lt; 85 ms');
  assert.equal(escapeMarkdown('_x_ *y* a\\b'), '\\_x\\_ \\*y\\* a\\\\b');
});

test('Markdown: everything is in it, and a day of windows still fits a step summary', async () => {
  const text = renderMarkdown(await spike());
  for (const part of [
    '# ❌ FAIL: baseline p99 132 ms (limit 85 ms)',
    '\n\na title\n\n',
    '- baseline p99 was 132 ms',
    '| spike | 20 s | 2,000/s | 1,200/s | 24,000 | 16,000 | 4.42 % |',
    '| timeout | 120 | 42.3 s into the run, in phase spike | 61 s | - |',
    '| tool | 40 | - | - | get_user: no connection |',
    '| FAIL | baseline p99 &lt; 85 ms | 132 ms | 2,000 |',
    '| pool_waiting | 1,234 | 1,234 | 1,234 | 1,234 |',
    'Zero throughout: breaker_open, deadlocks, redis_evictions.',
    '- this machine has fewer cores (4)',
  ]) {
    assert.ok(text.includes(part), part);
  }
  const long = renderMarkdown(await soak());
  for (const name of ['soak-01', 'soak-12', 'soak-24']) assert.ok(long.includes(`| ${name} |`));
  assert.ok(Buffer.byteLength(long) < 100_000);
});

/** However much went wrong. */
const MAX_LINES = 70;

/** @param {string} text @returns {string[]} its lines, which are few and short */
function linesOf(text) {
  const lines = text.trimEnd().split('\n');
  // A command's word is never cut.
  const isOneWord = (/** @type {string} */ line) => /^(\w+: +make|) +\S+ \\$/.test(line);
  for (const line of lines) assert.ok([...line].length <= WIDTH || isOneWord(line), line);
  assert.ok(lines.length <= MAX_LINES, `${lines.length} lines:\n${text}`);
  return lines;
}

test('terminal: a spike, from the headline to the next commands', async () => {
  const variables = { PROFILE: 'smoke', TARGET_URL: 'http://127.0.0.1:8000/mcp' };
  const made = { ...(await spike()), variables };
  const lines = linesOf(renderTerminal(made, PLAIN));
  assert.equal(lines[0], made.headline);
  const text = lines.join('\n');
  for (const part of [
    /^spike, profile smoke, 1 min 40 s {2}spike-20260102T030405-ab12$/m,
    /^http:\/\/127\.0\.0\.1:8000\/mcp {2}reference 1\.0\.0 {2}modern$/m,
    /^spike +20 s +2,000\/s +1,200\/s +24,000 +16,000 +4\.42 %/m,
    /^FAIL +baseline p99 < 85 ms +132 ms +2,000\n… 5 held$/m,
    /\nVERDICT fail \(exit code 99\)\nresults: results\/x\nsee it: /,
  ]) {
    assert.match(text, part);
  }
  assert.deepEqual(lines.slice(-3), [
    'see it:   results/x/report.html, or make live',
    'again:    make spike PROFILE=smoke TARGET_URL=http://127.0.0.1:8000/mcp',
    'compare:  make compare BASE=spike-20260102T030405-ab12 HEAD=latest INCLUDE_FAILED=1',
  ]);
});

test('terminal: of many phases and thresholds those are shown that something is said about', async () => {
  const made = await soak();
  const thresholds = made.thresholds.map((one, index) =>
    index < 18 ? { ...one, ok: true, outcome: /** @type {const} */ ('pass'), reason: null } : one,
  );
  const findings = [{ ...POOL, phase: 'soak-12' }];
  const text = linesOf(renderTerminal({ ...made, thresholds, findings }, PLAIN)).join('\n');
  assert.match(text, /^soak-12 .*\nsoak-19 /m);
  assert.match(text, /^… \d+ more in report\.md$/m);
  assert.doesNotMatch(text, /^soak-01 /m);
  assert.match(text, /^FAIL +soak-21 /m);
  assert.match(text, /^… \d more in report\.md, 18 held$/m);
});

test('terminal: no report is longer or wider than it may be', async () => {
  const long = 'word '.repeat(100);
  const made = await spike();
  const table = {
    title: 'Own',
    columns: Array.from({ length: 9 }, (_, index) => ({
      name: `a column ${index} with a long name`,
      unit: /** @type {const} */ ('ms'),
    })),
    rows: Array.from({ length: 40 }, () => Array.from({ length: 9 }, () => 1234)),
    notes: [long, long],
  };
  const full = {
    ...made,
    testid: 'x'.repeat(100),
    headline: headline({ ...made, verdict: { ...made.verdict, outcome: 'invalid', reasons: [long] } }),
    target: made.target && { ...made.target, url: `http://127.0.0.1/${'x'.repeat(100)}` },
    verdict: { ...made.verdict, reasons: Array.from({ length: 30 }, (_, index) => `${index} ${long}`) },
    findings: Array.from({ length: 30 }, () => ({ ...POOL, statement: long })),
    thresholds: made.thresholds.map((one) => ({
      ...one,
      ok: false,
      outcome: /** @type {const} */ ('fail'),
    })),
  };
  const runs = [
    made,
    await soak(),
    await hostile('a'),
    await run(SIZES),
    await spikeRun(),
    full,
    { ...full, tables: [table] },
    { ...full, tables: [table, table, table, table] },
    { ...made, tables: [table] },
    { ...full, findings: [], thresholds: [], phases: [] },
  ];
  for (const one of runs) linesOf(renderTerminal(one, PLAIN));
});

test("terminal: a test's own table of twelve lines is whole, of a longer one ten rows are shown", async () => {
  const made = await run(SIZES);
  /** @param {number} count */
  const shown = (count) => {
    const rows = Array.from({ length: count }, (_, index) => [`row-${index + 1}`]);
    const columns = [{ name: 'name', unit: /** @type {const} */ ('text') }];
    const tables = [{ title: 'Own', columns, rows, notes: [] }];
    return linesOf(renderTerminal({ ...made, tables, findings: [] }, PLAIN)).join('\n');
  };
  assert.match(shown(10), /^OWN\nname\nrow-1\n[\s\S]*\nrow-10\n\n/m);
  assert.match(shown(11), /^row-10\n… 1 more in report\.md$/m);
});

test('terminal: whatever a server says, lines stay within the width and plain', async () => {
  const text = renderTerminal(await hostile(`a ${HOSTILE} ${'wide'.repeat(80)}`), PLAIN);
  for (const line of text.split('\n')) assert.ok(line.length <= WIDTH, line);
  assert.ok(!text.includes(ESCAPE));
});

test('terminal: colours only where they are wanted, and they change nothing else', async () => {
  const made = await spike();
  const coloured = renderTerminal(made, { ...PLAIN, colours: true });
  assert.ok(coloured.includes(`${ESCAPE}[31m`));
  assert.equal(coloured.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), ''), renderTerminal(made, PLAIN));
});

test('terminal: objectives that are off, a set-up that failed, a k6 that died', async () => {
  const off = renderTerminal(
    await run({ phases: [{ name: 'a', figures: {} }], plan: { objectives_off: true } }),
    PLAIN,
  );
  assert.match(
    off,
    /^PASS: measured, not judged: objectives are off\. At 10\/s in a, p99 was 50 ms\.\n[\s\S]*\nVERDICT pass \(exit code 0\)\n/,
  );
  const setUp = await run(
    { startedMs: null, ranS: 0.1, phases: [{ name: 'a' }] },
    {},
    { k6Exit: 108, abort: { code: 3, reason: 'no MCP server answers' } },
  );
  assert.ok(!renderTerminal(setUp, PLAIN).includes('PHASES'));
  assert.match(
    renderTerminal(setUp, PLAIN),
    /^ERROR: no MCP server answers\.\n[\s\S]*\nVERDICT error \(exit code 3\)\n/,
  );
  const dead = await run(
    { phases: [] },
    {},
    { summary: null, summaryProblem: 'k6 left no summary.json', k6Exit: 137 },
  );
  assert.match(renderTerminal(dead, PLAIN), /^ERROR: k6 exited with code 137 .*\nrun {2}x\n\nVERDICT error/);
});

const SIZES = {
  plan: { test: 'batch' },
  phases: [1, 10, 50].map((size) => ({
    name: `size-${size}`,
    labels: { items: size },
    figures: { iterations: 200, items: size * 100 },
  })),
};

test('an own table that is wide has a head of several lines, and all of its columns', async () => {
  /** @type {import('../../../analysis/tables/report-tables.ts').ReportTable['columns']} */
  const columns = [{ name: 'scenario', unit: 'text' }];
  for (let index = 0; index < 8; index += 1) columns.push({ name: `under fault ${index}: p95`, unit: 'ms' });
  const rows = [['Network latency', ...Array.from({ length: 8 }, (_, index) => 1234 + index)]];
  const text = renderTerminal(
    { ...(await run(SIZES)), tables: [{ title: 'Wide', columns, rows, notes: [] }] },
    PLAIN,
  );
  const [heading = '', ...drawn] = text.slice(text.indexOf('WIDE')).split('\n\n', 1)[0]?.split('\n') ?? [];
  assert.equal(heading, 'WIDE');
  assert.match(drawn.at(-1) ?? '', /^Network latency +1,234 .* 1,241$/);
  assert.equal(drawn.join(' ').match(/p95/g)?.length, 8, drawn.join('\n'));
  assert.ok(
    drawn.every((line) => line.length <= 100 && !line.includes('…')),
    drawn.join('\n'),
  );
});

test("a test's own tables are in the reports, in the units of their columns", async () => {
  const made = await run(SIZES);
  assert.match(renderMarkdown(made), /\| 10 \| size-10 \| 10 \| 50 \| 50 \| 0 % \| 10 x \|/);
  assert.match(renderTerminal(made, PLAIN), /^10 +size-10 +10 +50 +50 +0 % +10 x$/m);
  assert.match(renderTerminal(made, PLAIN), /^- .*50 items is best, with 250 items\/s or 50 x size 1/m);
  assert.deepEqual(
    made.tables.map(({ title, rows }) => [title, rows.length]),
    [['Batch size', 3]],
  );
  const columns = /** @type {import('../../../analysis/tables/report-tables.ts').ReportTable['columns']} */ (
    ['ms', 's', 'us', 'per_s', 'ratio', 'bytes', 'bytes_per_s', 'count', 'factor', 'usd', 'text'].map(
      (unit) => ({
        name: `in ${unit}`,
        unit,
      }),
    )
  );
  const table = {
    title: 'Units',
    columns,
    rows: [columns.map(() => 1.5), columns.map(() => null)],
    notes: ['One.'],
  };
  const text = renderMarkdown({ ...made, tables: [table] });
  assert.match(
    text,
    /\| 1\.5 \| 1\.5 s \| 1\.5 \| 1\.5 \| 150 % \| 1\.5 B \| 1\.5 B\/s \| 1\.5 \| 1\.5 x \| \$1\.50 \| 1\.5 \|/,
  );
  assert.match(text, /\| - \| - \|.*\n\nOne\./);
});

test('the same run renders to the same bytes', async () => {
  const [one, two] = [await spike(), await spike()];
  for (const render of [renderMarkdown, renderJunit, renderCsv]) assert.equal(render(one), render(two));
  assert.equal(renderTerminal(one, PLAIN), renderTerminal(two, PLAIN));
});
