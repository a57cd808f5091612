/** Servers that fail as public bug reports say: each run says whose failures they are, since when, and how they cluster. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { scratchFolder } from '../scratch.js';
import {
  startBadSessions,
  startBrokenTool,
  startComputing,
  startDeadlocking,
  startKeeping,
  startListingFails,
  startLosing,
  startLosingFirst,
  startReplicas,
  startRetrying,
  startStalling,
} from '../servers/failing-servers.ts';

await ownStack({ up: 'observe' });

/** 10 calls/s for 6 s, 200 for 2.5 s, and 10 again. */
const SPIKE = { test: 'spike', PROFILE: 'smoke', DURATION: '15s', RATE_SCALE: '0.5', TARGET_TIMEOUT: '2s' };
/** 51 calls/s. */
const STEADY = { ...SPIKE, test: 'sustained', RATE_SCALE: '0.3' };
const folder = scratchFolder();

/** @param {Record<string, number>} mix tools and tools/list, with their weights @returns {string} a workload file */
function workloadOf(mix) {
  const operation = (/** @type {string} */ name) =>
    name === 'tools/list'
      ? { class: 'protocol', method: name, params: {} }
      : { class: 'read', method: 'tools/call', params: { name }, arguments: [{}] };
  const path = join(folder, `${Object.keys(mix).join('-').replaceAll('/', '-')}.json`);
  const operations = Object.fromEntries(Object.keys(mix).map((name) => [name, operation(name)]));
  const document = { schema: 'mcp-load-lab/workload/1', name: 'failing', dialect: 'mcp', operations };
  writeFileSync(path, JSON.stringify({ ...document, mixes: { default: mix } }));
  return path;
}

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {() => Promise<import('../servers/failing-servers.ts').FailingServer>} start
 * @property {Record<string, string> & {test: string}} load
 * @property {Record<string, number>} mix
 * @property {{subject: string, operation?: string, failure_kind?: string}} expected
 * @property {RegExp} statement
 * @property {string} [time] the figure that is when it began, seconds into the run
 */

/** @type {Case[]} */
const CASES = [
  {
    name: 'one of three tools answers 500',
    start: startBrokenTool,
    load: SPIKE,
    mix: { read_a: 50, read_b: 30, read_c: 20 },
    expected: { subject: 'operation', operation: 'read_b', failure_kind: 'http_5xx' },
    statement:
      /^read_b always failed \(\d+ of \d+, HTTP 5xx\): broken, not overloaded; the other operations succeeded/,
  },
  {
    name: 'tools/list fails from a time on',
    start: () => startListingFails(10),
    load: STEADY,
    mix: { read: 90, 'tools/list': 10 },
    expected: { subject: 'since', operation: 'tools/list', failure_kind: 'jsonrpc' },
    statement: /^since 00:\d\d\.\d every call of tools\/list failed/,
    time: 'since_s',
  },
  {
    name: 'one answer in 20 begins and does not go on',
    start: () => startStalling(20),
    load: SPIKE,
    mix: { read: 100 },
    expected: { subject: 'share', failure_kind: 'stalled' },
    statement: /^1 in (19|20|21) calls failed .*the answer stalled\), independently of the load/,
  },
  {
    name: 'two replicas, each with its own sessions',
    start: () => startReplicas(2),
    load: SPIKE,
    mix: { read: 100 },
    expected: { subject: 'replicas', failure_kind: 'http_4xx' },
    statement: /^about \d\d % of the calls reach a replica that does not know their session/,
  },
  {
    name: 'one session in five gets nothing',
    start: () => startBadSessions(5),
    load: { ...SPIKE, test: 'load', REQUESTS: '400', CONCURRENCY: '20' },
    mix: { read: 100 },
    expected: { subject: 'clients', failure_kind: 'http_5xx' },
    statement: /^4 of 20 clients failed always/,
  },
  {
    name: 'exactly 1.5 s for one call in eight',
    start: () => startRetrying(8, 1500),
    load: SPIKE,
    mix: { read: 100 },
    expected: { subject: 'modes' },
    statement:
      /^answers have one of two latencies: [\d.]+ ms, or 1,5\d\d ms \(1[123](\.\d+)? % of them\), independently of the load/,
  },
  {
    name: 'no answer any more once two calls were in flight',
    start: startDeadlocking,
    load: SPIKE,
    // As few of the calls that go on as a discovered workload has.
    mix: { read: 86, write: 10, 'tools/list': 4 },
    expected: { subject: 'overlap', failure_kind: 'timeout' },
    statement:
      /^since 00:\d\d\.\d every call of read, write failed .*when two calls first overlapped.*; the other operation succeeded/,
    time: 'since_s',
  },
  {
    name: 'answers of one tool are lost while another runs',
    start: () => startLosing(300),
    load: STEADY,
    mix: { fast: 98, slow: 2 },
    expected: { subject: 'overlap', operation: 'fast', failure_kind: 'timeout' },
    statement: /^fast failed only while a call of slow was in flight/,
  },
  {
    name: "a spike's first 800 ms are lost",
    start: () => startLosingFirst(50, 800),
    load: SPIKE,
    mix: { read: 100 },
    expected: { subject: 'window', failure_kind: 'timeout' },
    statement: /^(nearly )?every call that began between .* failed .*; earlier and later calls succeeded/,
    time: 'from_s',
  },
];

/**
 * @param {Awaited<ReturnType<typeof startKeeping>>} server
 * @param {Record<string, string> & {test: string}} load
 */
async function runOn(server, { test: scenario, ...variables }) {
  const WORKLOAD = workloadOf({ read: 100 });
  const run = await runTest(scenario, { ...variables, TARGET_URL: server.url, WORKLOAD });
  await server.stop();
  assert.ok(run.document, run.output);
  return run.document.findings.map((/** @type {any} */ { statement }) => statement);
}

test('memory that grows whatever is asked: with time, not with the calls', async () => {
  // 7.6 MiB/s.
  const found = await runOn(await startKeeping(38 * 1024, 5), { ...SPIKE, DURATION: '45s' });
  const grows = /^memory grows by ([\d.]+) MiB\/s over time, independently of the calls/;
  const [, rate = ''] = grows.exec(found.find((/** @type {string} */ one) => grows.test(one)) ?? '') ?? [];
  assert.ok(Math.abs(Number(rate) - 7.6) < 2, found.join('\n'));
});

test('a full server for which no VU was free answers at least so much', async () => {
  const load = { ...STEADY, RATE_SCALE: '6', MAX_VUS: '5' };
  const found = await runOn(await startComputing(4), load);
  const full = /^answers at least \d+\/s: in sustained all VUs were busy, and .* was at \d\d/;
  assert.ok(
    found.some((/** @type {string} */ one) => full.test(one)),
    found.join('\n'),
  );
});

test('the command that shows it again does so', async () => {
  const server = await startBrokenTool();
  const [WORKLOAD, TARGET_URL] = [workloadOf({ read_a: 50, read_b: 50 }), server.url];
  const { test: scenario, ...load } = SPIKE;
  const { document } = await runTest(scenario, { ...load, DURATION: '8s', WORKLOAD, TARGET_URL });
  const { evidence } = document.findings.find((/** @type {any} */ { kind }) => kind === 'failures');
  const [, command = '', words = ''] = /^to reproduce: make (\S+) (.*)$/.exec(evidence.at(-1)) ?? [];
  const variables = Object.fromEntries(words.split(' ').map((word) => word.split(/=(.*)/s)));
  const again = await runTest(command, variables);
  await server.close();
  assert.equal(again.code, 99, again.output);
  assert.deepEqual(
    again.document.operations.map((/** @type {any} */ { operation, requests, failed }) => [
      operation,
      requests,
      failed,
    ]),
    [['read_b', 10, 10]],
  );
});

for (const { name, start, load, mix, expected, statement, time } of CASES)
  test(name, async () => {
    const server = await start();
    const { test: scenario, ...variables } = load;
    const WORKLOAD = workloadOf(mix);
    const { document, output } = await runTest(scenario, { ...variables, TARGET_URL: server.url, WORKLOAD });
    await server.close();
    assert.ok(document, output);
    const found = document.findings.filter((/** @type {any} */ { kind }) => kind === 'failures');
    const [first] = found;
    assert.ok(
      first,
      JSON.stringify([document.failures, document.findings.map((/** @type {any} */ one) => one.statement)]),
    );
    const { subject, operation, failure_kind, figures } = first;
    assert.deepEqual(
      { subject, operation, failure_kind },
      { operation: undefined, failure_kind: undefined, ...expected },
      first.statement,
    );
    assert.match(first.statement, statement);
    assert.match(first.evidence.at(-1), /^to reproduce: make load .*TARGET_URL=/);
    if (subject === 'modes') return;
    const startedMs = Date.parse(document.started);
    const fromMs = Date.parse(document.phases.find((/** @type {any} */ phase) => phase.measured).start);
    const measured = server.failedMs.filter((ms) => ms >= fromMs);
    // Of sessions that are lost most calls are made again, and of a closed loop each VU makes one call before.
    if (subject !== 'replicas' && subject !== 'clients')
      assert.ok(
        Math.abs(figures.explained - measured.length) <= 0.02 * measured.length + 1,
        `${figures.explained} of ${measured.length}`,
      );
    if (time)
      assert.ok(
        Math.abs(figures[time] - ((measured[0] ?? 0) - startedMs) / 1000) <= 1,
        `${time} ${figures[time]}`,
      );
    assert.ok(document.headline.includes(first.statement.slice(0, 40).replace(/^./, '')), document.headline);
  });
