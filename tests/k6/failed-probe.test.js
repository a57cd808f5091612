/** A pass says what it leaves out: a read-only tool that answers HTTP 500 when discovery tries it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { startOffering } from './offering-server.js';

await ownStack({ up: 'observe' });

const annotations = { readOnlyHint: true };
const inputSchema = { type: 'object' };
const TOOLS = [
  { name: 'look', inputSchema, annotations },
  { name: 'broken_tool', inputSchema, annotations },
  { name: 'change', inputSchema },
];

/** @param {string} name */
function call(name) {
  if (name === 'broken_tool') throw new Error('out of order');
  return { content: [] };
}

/** @type {import('./offering-server.js').Recorder} */
let server;
before(async () => {
  server = await startOffering({ tools: TOOLS }, call);
});
after(() => server.close());

test('the headline, run.json, the plan, the report and JUnit name it; the exit code stays', async () => {
  const variables = { TARGET_URL: server.url, PROFILE: 'smoke', DURATION: '2s', RATE_SCALE: '0.1' };
  const run = await runTest('sustained', { ...variables, THRESHOLDS: 'off' });
  assert.ok(run.code === 0 || run.code === 98, run.output);
  const { failed_probes, headline, verdict } = run.document;
  assert.deepEqual(
    failed_probes.map((/** @type {any} */ { operation, failed }) => [operation, failed]),
    [['broken_tool', 'HTTP 500']],
  );
  assert.match(failed_probes[0].reason, /^call failed \(http_5xx\): HTTP 500 text\/plain: .*out of order/);
  const said = '1 operation failed in discovery and was left out: broken_tool (HTTP 500)';
  assert.equal(verdict.reasons.at(-1), said);
  if (verdict.outcome === 'pass')
    assert.match(headline, /^PASS: .*; 1 operation failed in discovery and was left out/);
  assert.ok(run.output.replace(/\s+/g, ' ').includes(said), run.output);
  const file = (/** @type {string} */ name) => readFileSync(`${run.folder}/${name}`, 'utf8');
  const planned = JSON.parse(file('plan.json'));
  const { left_out } = planned.ext?.['mcp-load-lab'] ?? planned;
  assert.deepEqual(
    left_out.map((/** @type {any} */ { operation, failed }) => [operation, failed]),
    [
      ['broken_tool', 'HTTP 500'],
      ['change', undefined],
    ],
  );
  for (const name of ['report.html', 'report.md', 'junit.xml'])
    assert.match(file(name), /broken_tool \(HTTP 500\)/, name);
  assert.match(file('junit.xml'), /<testcase [^>]*name="operation broken_tool"[^>]*>\s*<skipped\/>/);
});
