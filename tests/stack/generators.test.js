/** Several k6 processes that share one test: the same counts, the same percentiles, one verdict. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { assertMeasured, command, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { processesWith } from '../process-tree.js';

await ownStack({ up: 'later' });

/** One call in ten takes long, so that each percentile below is of the one kind or of the other. */
const QUICK_MS = 20;
const SLOW_MS = 100;
const KNOWN_MS = /** @type {const} */ ({
  p50: [QUICK_MS, 0.5],
  p75: [QUICK_MS, 0.75],
  p95: [SLOW_MS, 0.95],
  p99: [SLOW_MS, 0.99],
});
/** What a machine that others keep busy may add to a call, beside what it adds within the server. */
const BUSY_MS = 25;

let answered = 0;
/** How long the server had each call, ms. @type {number[]} */
let took = [];
const server = createServer(async (request, response) => {
  const since = performance.now();
  response.once('finish', () => took.push(performance.now() - since));
  /** @type {Buffer[]} */
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (text === '') return response.writeHead(405).end();
  const { id } = JSON.parse(text);
  answered += 1;
  setTimeout(
    () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
    },
    answered % 10 === 0 ? SLOW_MS : QUICK_MS,
  );
});
/** @type {Record<string, string>} */
let variables;
before(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  variables = {
    PROFILE: 'smoke',
    OBJECTIVES: 'off',
    SAMPLES: 'stream',
    TARGET_URL: `http://127.0.0.1:${port}/rpc`,
    TARGET_DIALECT: 'jsonrpc',
    TOOL: 'sleep',
    ARGS: '{}',
  };
});
after(() => server.close());

const COUNTS = ['1', '2', '4'];

test(`GENERATORS=${COUNTS.join('|')}: as many requests of each phase, and the percentiles of the server`, async () => {
  /** @type {Set<string>} */
  const counts = new Set();
  for (const GENERATORS of COUNTS) {
    answered = 0;
    took = [];
    const run = await runTest('sustained', { ...variables, RATE_SCALE: '0.1', DURATION: '6s', GENERATORS });
    assertMeasured(run);
    const [, phase] = run.document.phases;
    counts.add([phase.requests, phase.iterations, phase.failed, phase.dropped, answered].join());
    assert.equal(run.document.environment.generators ?? 1, Number(GENERATORS));
    const { percentile_error: off } = run.document.streamed;
    assert.ok(off < 0.1, `${off}`);
    took.sort((a, b) => a - b);
    for (const [figure, [known, share]] of Object.entries(KNOWN_MS)) {
      const ms = phase.latency_ms[figure];
      const most = Math.max(known, took[Math.ceil(share * took.length) - 1] ?? 0);
      assert.ok(
        ms >= known * (1 - off) && ms <= most * (1 + off) + BUSY_MS,
        `${GENERATORS}: ${figure} ${ms} ms, ${most} ms at the server`,
      );
    }
  }
  // 17 a second for 6 s, none of them by chance: between the last and the phase's end are 29 ms.
  const [first = '', ...others] = counts;
  assert.deepEqual(others, []);
  assert.match(first, /^102,102,0,0,/);
});

test('a number of calls is shared, none is made twice', async () => {
  const run = await runTest('load', { ...variables, REQUESTS: '601', CONCURRENCY: '7', GENERATORS: '4' });
  assertMeasured(run);
  assert.equal(run.document.phases.at(-1).requests, 601);
});

test('one judgement of all: an objective that is missed by the whole is missed', async () => {
  const { document, code, output } = await runTest('sustained', {
    ...variables,
    ...{ RATE_SCALE: '0.5', DURATION: '4s', GENERATORS: '2', OBJECTIVES: 'sustained.p99_ms=60' },
  });
  assert.equal(code, 99, output.slice(-3000));
  assert.equal(document.thresholds.filter((/** @type {any} */ { ok }) => ok === false).length, 1);
  assert.match(output, /^VERDICT fail/m);
});

test('a generator that dies ends the run: less load than was meant is no result', async () => {
  const generators = () => processesWith('GENERATOR=2', `RESULTS_DIR=${process.env.RESULTS_DIR}`);
  const { exitCode, output, document } = await runTest(
    'sustained',
    { ...variables, DURATION: '30s', GENERATORS: '2' },
    async () => {
      for (const { pid } of generators()) process.kill(pid, 'SIGKILL');
    },
  );
  assert.ok(exitCode !== 0 && exitCode !== 99, output.slice(-3000));
  assert.equal(document.verdict.outcome, 'error');
  assert.deepEqual(generators(), []);
});

test('a generator that is not heard of in time ends the run, and the report says so', async () => {
  // No request to such a port leaves Node's fetch: the second is there, and does not answer.
  const deaf = { K6_ADDRESS: '127.0.0.1:6665', K6_READY_S: '4' };
  const given = { ...variables, DURATION: '2s', GENERATORS: '2' };
  const { exitCode, output, document } = await runTest('sustained', given, undefined, deaf);
  assert.equal(exitCode, 1, output.slice(-3000));
  assert.match(output, /^error: generator \d is not ready after 4 s$/m);
  assert.match(
    document.verdict.reasons[0],
    /^k6 ended with exit code 1; it said last: generator \d is not ready after 4 s$/,
  );
  assert.deepEqual(processesWith('GENERATOR=2', `RESULTS_DIR=${process.env.RESULTS_DIR}`), []);
});

for (const [name, args, message] of /** @type {[string, string[], RegExp][]} */ ([
  ['no number', ['sustained', 'GENERATORS=many'], /GENERATORS is "many"; valid: a whole number from 1 to 64/],
  [
    'more than users',
    ['baseline', 'GENERATORS=20'],
    /GENERATORS is 20, and the phase \S+ has 10 users; valid/,
  ],
  ['steps', ['crud', 'GENERATORS=2'], /GENERATORS is 2, and crud is one thing after another/],
  ['several k6 runs', ['capacity', 'GENERATORS=2'], /GENERATORS is "2", and capacity takes several k6 runs/],
  ['samples kept', ['sustained', 'GENERATORS=2', 'SAMPLES=keep'], /GENERATORS is 2 beside SAMPLES=keep/],
])) {
  test(`${name}: exit 2 before anything starts`, async () => {
    const { code, output } = await command('scripts/run', [...args, 'PROFILE=smoke']);
    assert.equal(code, 2, output);
    assert.match(output, message);
    assert.equal(output.trim().split('\n').length, 1, output);
  });
}
