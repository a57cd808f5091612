/** Every test of the lab, on the real stack, as a user runs it; and what a run does when something is wrong. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { command, control, reportOf, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { startEverything } from '../servers/everything.js';
import { assertComplete, measured, SIGNALS, samplesOf, sum } from './complete-run.js';

await ownStack();

/** A run short enough for the questions that need no load. */
const SHORT = { PROFILE: 'smoke', DURATION: '8s' };
/** Where the load is not the question: less of it, so that a busy machine is none, either. */
const GENTLE = { ...SHORT, RATE_SCALE: '0.3' };
/** Where a few calls answer the question. */
const BRIEF = { ...GENTLE, DURATION: '4s' };

/** @param {string} output @returns {string} without the terminal's line breaks */
const flat = (output) => output.replace(/\s+/g, ' ');

/** @type {Awaited<ReturnType<typeof startEverything>>} */
let everything;
before(async () => {
  everything = await startEverything();
});
after(() => everything.stop());

const PHASES = {
  baseline: ['warm-up', 'light', 'medium', 'heavy', 'extreme'],
  sustained: ['warm-up', 'sustained'],
  soak: [
    'warm-up',
    ...Array.from({ length: 12 }, (_, index) => `window-${String(index + 1).padStart(2, '0')}`),
  ],
  batch: [
    'warm-up',
    ...[10, 50, 100, 500].map((items) => `size-${items}`),
    ...[1, 5, 10, 20, 50].map((items) => `split-${items}`),
  ],
};

/** Where what is asserted needs no more; a window of soak must take the 2 s that signals need. @type {Record<string, string>} */
const SHORTER = { baseline: '14s', sustained: '12s', batch: '20s' };

/** @param {any} result of runTest */
function isComplete({ code, exitCode, output, folder, document }) {
  assertComplete({ output, folder, document });
  assert.equal(exitCode, document.verdict.exit_code, output.slice(-3000));
  // On a slow or busy machine an objective may be missed, and then the run must say so; nothing else is right here.
  assert.ok(code === 0 || code === 99, output.slice(-6000));
  assert.equal(
    code === 99,
    document.thresholds.some((/** @type {any} */ threshold) => threshold.ok === false),
  );
}

test('a server that no one here wrote: TARGET_URL, TOOL and ARGS are enough', async () => {
  const result = await runTest('spike', {
    ...GENTLE,
    THRESHOLDS: 'off',
    TARGET_URL: everything.url,
    TOOL: 'echo',
    ARGS: '{"message":"hi"}',
  });
  isComplete(result);
  assert.equal(result.code, 0, 'measured and not judged');
  assert.equal(result.document.target.era, 'legacy');
  assert.match(result.document.target.server.name, /everything/);
  const seen = new Set(result.document.signals.map((/** @type {any} */ { signal }) => signal));
  for (const signal of ['host_cpu', 'generator_cpu', 'busiest_thread']) assert.ok(seen.has(signal), signal);
  for (const signal of ['pool_utilization', 'worker_cpu'])
    assert.ok(!seen.has(signal), `${signal} is the reference target's`);
  assert.equal(sum(measured(result.document).map((phase) => phase.failed)), 0);
  assert.deepEqual(
    result.document.operations.map((/** @type {any} */ { operation }) => operation),
    ['echo'],
  );
});

test('a tool that the target has not: exit 2 and the tools that it has', async () => {
  const result = await runTest('spike', { ...SHORT, TARGET_URL: everything.url, TOOL: 'nope', ARGS: '{}' });
  assert.equal(result.code, 2, result.output);
  assert.match(flat(result.output), /no tool nope.*it has: .*echo/);
});

/** @type {[string, string[], RegExp][]} */
const WRONG_USE = [
  ['an unknown test', ['spiek'], /the test is "spiek"; valid: baseline, batch, .*spike, sustained/],
  ['no test', [], /the test is ""; valid: baseline/],
  [
    'an unknown variable',
    ['spike', 'PROFLIE=smoke'],
    /got "PROFLIE"; valid: NAME=value with a NAME of make help-all, such as PROFILE/,
  ],
  [
    'arguments that are no object',
    ['spike', 'TOOL=echo', 'ARGS=nope'],
    /ARGS is "nope"; valid: one JSON object/,
  ],
  [
    'an unknown objective',
    ['spike', 'THRESHOLDS=spike.p98_ms=1'],
    /THRESHOLDS has "spike.p98_ms=1"; valid: off/,
  ],
];
for (const [name, args, message] of WRONG_USE) {
  test(`${name}: exit 2 before anything starts`, async () => {
    const { code, output, seconds } = await command('scripts/run', args);
    assert.equal(code, 2, output);
    assert.match(output, message);
    assert.equal(output.trim().split('\n').length, 1, `one line: ${output}`);
    assert.ok(seconds < 10);
  });
}

/** @param {import('node:http').RequestListener} listener @param {(url: string) => Promise<void>} use */
async function withServer(listener, use) {
  const server = createServer(listener);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  try {
    await use(`http://127.0.0.1:${port}/mcp`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** @param {string} url @param {RegExp} message */
async function endsWithThree(url, message) {
  const { code, output, seconds, document } = await runTest('spike', { ...SHORT, TARGET_URL: url });
  assert.equal(code, 3, output);
  assert.match(flat(output), message);
  assert.ok(seconds < 15, `${seconds} s`);
  assert.equal(document.verdict.outcome, 'error');
}

test('a target that accepts and never answers: exit 3 within 15 s', () =>
  withServer(
    () => {},
    (url) => endsWithThree(url, /no answer within/),
  ));

test('a web server that is not MCP: exit 3', () =>
  withServer(
    (_, response) => response.setHeader('Content-Type', 'text/html').end('<h1>Welcome</h1>'),
    (url) => endsWithThree(url, /does not speak MCP/),
  ));

test('a target that can not list its tools: exit 3 and what it said', () =>
  withServer(
    async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { id, method } = JSON.parse(body);
      const reply =
        method === 'server/discover'
          ? { result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } }
          : { error: { code: -32603, message: 'the list is lost' } };
      response
        .setHeader('Content-Type', 'application/json')
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
    },
    (url) => endsWithThree(url, /fails at tools\/list \(-32603: the list is lost\)/),
  ));

test('a target that wants a token: exit 3 and what to set', () =>
  withServer(
    (_, response) => response.writeHead(401).end(),
    (url) => endsWithThree(url, /set TARGET_TOKEN/),
  ));

test('PostgreSQL dies in mid-run: the run ends, failures are classified, and it says when they began', async () => {
  // Not the mix: its weather service leaves some calls unanswered on purpose, at any time.
  const variables = { ...GENTLE, DURATION: '14s', TOOL: 'update_user' };
  const result = await runTest('sustained', variables, async () => {
    await new Promise((resolve) => setTimeout(resolve, 6000));
    await control('kill', 'postgres');
  });
  await control('start', 'postgres');
  const { code, output, document, folder } = result;
  assert.equal(code, 99, output.slice(-5000));
  const tool = document.failures.find((/** @type {any} */ failure) => failure.kind === 'tool');
  assert.ok(tool, JSON.stringify(document.failures));
  const began = (Date.parse(tool.first) - Date.parse(document.started)) / 1000;
  assert.ok(began > 5 && began < 20, `began ${began} s into the run`);
  assert.match(readFileSync(`${folder}/report.md`, 'utf8'), /s into the run/);
});

test('the target recovers by itself when PostgreSQL is back', async () => {
  const { document } = await runTest('sustained', { ...BRIEF, TOOL: 'update_user', THRESHOLDS: 'off' });
  assert.equal(sum(measured(document).map((phase) => phase.failed)), 0);
});

test("Prometheus goes away in mid-run: the client's figures stay, the server's are said to be missing", async () => {
  const run = await runTest('sustained', { ...GENTLE, THRESHOLDS: 'off' }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await control('stop', 'prometheus');
  });
  await control('start', 'prometheus');
  const { code, output, document } = run;
  assert.equal(code, 0, output.slice(-3000));
  assert.ok(document.phases[1].requests > 0);
  assert.equal(document.signals.length, 0);
  assert.match(reportOf(run), /missing/);
});

for (const [name, phases] of Object.entries(PHASES)) {
  test(`${name} at smoke ends in a verdict with a complete run document`, async () => {
    const result = await runTest(name, { PROFILE: 'smoke', DURATION: SHORTER[name] ?? '' });
    isComplete(result);
    const { document } = result;
    assert.deepEqual(
      document.phases.map((/** @type {any} */ phase) => phase.name),
      phases,
    );
    for (const wanted of SIGNALS) {
      // Batches are not cached: no look-up, no ratio.
      if (name === 'batch' && wanted === 'cache_hit') continue;
      assert.ok(samplesOf(document, wanted) > 0, `${wanted} has no samples`);
    }
    for (const phase of measured(document)) {
      if (phase.offered_rps === null) continue;
      assert.ok(phase.achieved_rps > 0.5 * phase.offered_rps, `${phase.name} got its load`);
    }
    if (name === 'batch') {
      for (const phase of measured(document)) assert.ok(phase.items_per_s > 0, phase.name);
      assert.match(reportOf(result), /best/i);
    }
  });
}
