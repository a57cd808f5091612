/** A run that lost iterations is no pass, however they were lost, and its log stays small. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listen } from '../k6/listen.js';
import { runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';

await ownStack({ up: 'later' });

/** A terminal obeys it, and it is a line of its own. */
const ESCAPE = '\u001b]0;pwned\u0007\u001b[2J\u202e';
const MOST_LOG = 400 * 1024;

/** @param {string} body of the workload's operation `echo` @param {string} [before] */
const workloadText = (body, before = '') => `${before}
export default {
  name: 'throwing',
  operations: { echo: { tool: 'echo', class: 'read', ${body} } },
  mixes: { default: { echo: 100 } },
};
`;

const WORKLOADS = {
  'args.js': workloadText(
    `args: () => {
      calls += 1;
      if (calls % 2 === 0) throw new Error('no id left\\u001b[2J');
      return { message: 'x' };
    }`,
    'let calls = 0;',
  ),
  'received.js': workloadText(
    `args: () => ({ message: 'x' }), received: ({ result }) => result.nothing.there`,
  ),
  // k6 itself logs what a promise was rejected with, once for each iteration.
  'rejected.js': workloadText(
    `args: () => ({ message: 'x' }), received: async () => { throw new Error('y'.repeat(400)); }`,
  ),
};

let calls = 0;
/** Modern, and as quick as can be. Each second call of `ask` is answered with a form that has a field that is none. */
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (body === '') return response.writeHead(405).end();
  const { id, method, params } = JSON.parse(body);
  /** @param {object} result */
  const reply = (result) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } }));
  if (method === 'server/discover')
    return reply({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
  const names = ['echo', 'ask'];
  if (method === 'tools/list')
    return reply({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) });
  calls += 1;
  if (params.name === 'echo' || calls % 2 === 0) return reply({ content: [{ type: 'text', text: ESCAPE }] });
  const requestedSchema = { type: 'object', properties: { [ESCAPE]: null } };
  reply({
    resultType: 'input_required',
    inputRequests: { form: { method: 'elicitation/create', params: { message: ESCAPE, requestedSchema } } },
  });
});

/** @type {Awaited<ReturnType<typeof listen>>} */
let target;
let folder = '';
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
  for (const [name, text] of Object.entries(WORKLOADS)) writeFileSync(join(folder, name), text);
  target = await listen(server);
});
after(async () => {
  await target.close();
  rmSync(folder, { recursive: true });
});

const SHORT = { PROFILE: 'smoke', DURATION: '6s', RATE_SCALE: '0.3' };

/** @param {{document: any}} run @param {RegExp} reason */
function assertInvalid({ document }, reason) {
  const { outcome, exit_code, reasons } = document.verdict;
  assert.equal(outcome, 'invalid', reasons.join('\n'));
  assert.equal(exit_code, 98);
  const found = reasons.find((/** @type {string} */ text) => reason.test(text));
  assert.ok(found, reasons.join('\n'));
  return found;
}

/** @param {string} folder */
const logOf = (folder) => readFileSync(join(folder, 'k6.log'), 'utf8');

const THROWN =
  /^args\(\) of echo threw ([\d,]+) exceptions in ([\d,]+) iterations, the first: Error: no id left \[2J; correct args\(\)/;

test('a workload whose args() throws every second time', async () => {
  const run = await runTest('sustained', {
    ...SHORT,
    TARGET_URL: target.url,
    WORKLOAD: join(folder, 'args.js'),
  });
  const [, threw, of] = THROWN.exec(assertInvalid(run, THROWN)) ?? [];
  const share = Number(threw?.replace(',', '')) / Number(of?.replace(',', ''));
  assert.ok(share > 0.3 && share <= 0.5, `${threw} of ${of}`);
  const phase = run.document.phases.at(-1);
  assert.ok(phase.lost > 0.3 * phase.iterations, JSON.stringify(phase));
  assert.equal(phase.iterations, phase.requests);
  const delivered = run.document.thresholds.find(
    (/** @type {any} */ { metric }) => metric === 'delivered_share',
  );
  assert.ok(delivered.observed < 0.7, String(delivered.observed));
  // Once for each VU, and none of the lines that k6 itself would write.
  assert.ok(statSync(join(run.folder, 'k6.log')).size < 20_000);
  assert.doesNotMatch(logOf(run.folder), /source=stacktrace/);
});

test('a server that answers half of its calls with a form that cannot be filled', async () => {
  calls = 0;
  const run = await runTest('sustained', { ...SHORT, TARGET_URL: target.url, TOOL: 'ask', ARGS: '{}' });
  assert.equal(run.code, 99, run.output);
  const phase = run.document.phases.at(-1);
  assert.ok(
    phase.failed > 0.4 * phase.requests && phase.failed < 0.6 * phase.requests,
    JSON.stringify(phase),
  );
  assert.deepEqual([phase.lost, phase.iterations], [0, phase.requests]);
  const [failure] = run.document.failures;
  assert.equal(failure.kind, 'unexpected');
  assert.equal(failure.sample, 'ask: the server asked for input that this client cannot provide');
});

test('received() that throws: its calls are no failures of the server', async () => {
  const run = await runTest('sustained', {
    ...SHORT,
    TARGET_URL: target.url,
    WORKLOAD: join(folder, 'received.js'),
  });
  assertInvalid(
    run,
    /^received\(\) of echo threw [\d,]+ exceptions in [\d,]+ iterations, the first: TypeError/,
  );
  const phase = run.document.phases.at(-1);
  assert.deepEqual([phase.failed, phase.lost], [0, 0]);
});

test('what k6 itself logs of each iteration', async () => {
  const run = await runTest('load', {
    ...{ PROFILE: 'smoke', REQUESTS: '3000', CONCURRENCY: '4', THRESHOLDS: 'off' },
    TARGET_URL: target.url,
    WORKLOAD: join(folder, 'rejected.js'),
  });
  assertInvalid(
    run,
    /^the script threw [\d,]+ exceptions in .* iterations, the first: Uncaught \(in promise\) Error: yyy/,
  );
  const { size } = statSync(join(run.folder, 'k6.log'));
  assert.ok(size > 200_000 && size < MOST_LOG, String(size));
  assert.match(logOf(run.folder), /^the middle of this log was removed$/m);
});
