/** What k6 writes to Prometheus is what the output lab counts: a run of several generators is judged by it (deploy/kubernetes). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { Prometheus } from '../../analysis/prometheus.js';
import { streamedSummary } from '../../analysis/streamed-summary.js';
import { K6Metrics, readSummary } from '../../analysis/summary.js';
import { control, envFile, runTest, stackHeaders } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { UNDER_LOAD } from '../under-load.js';

await ownStack({ up: 'observe' });

/** Every tenth call takes this much longer, so that a tenth of the requests is over a limit in between. */
const SLOW_MS = 150;
const LIMIT_MS = 100;

let calls = 0;
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { id, method } = JSON.parse(body);
  const results = /** @type {Record<string, object>} */ ({
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'hi' }] },
  });
  const result = { resultType: 'complete', ...results[method] };
  const answer = JSON.stringify({ jsonrpc: '2.0', id, result });
  calls += method === 'tools/call' ? 1 : 0;
  setTimeout(
    () => response.setHeader('Content-Type', 'application/json').end(answer),
    method === 'tools/call' && calls % 10 === 0 ? SLOW_MS : 0,
  );
});
let variables = /** @type {Record<string, string>} */ ({});
before(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  variables = {
    PROFILE: 'smoke',
    DURATION: '5s',
    TARGET_URL: `http://127.0.0.1:${port}/mcp`,
    TOOL: 'echo',
    ARGS: '{"message":"hi"}',
  };
});
after(() => {
  server.closeAllConnections();
  server.close();
});

test('what Prometheus has of a run, and what the output lab counted of it', async () => {
  const { code, output, folder, document } = await runTest('sustained', {
    ...variables,
    THRESHOLDS: `sustained.p95_ms=${LIMIT_MS}`,
  });
  assert.equal(code, 99, output.slice(-3000));
  const { summary } = readSummary(folder);
  assert.ok(summary);
  const streamed = await streamedSummary(
    new Prometheus(envFile('stack.env').PROMETHEUS_URL ?? '', { headers: stackHeaders() }),
    JSON.parse(readFileSync(`${folder}/plan.json`, 'utf8')),
    { untilS: Date.now() / 1000, failedPushesS: [] },
  );
  assert.deepEqual(streamed.plan.target, summary.plan.target);
  assert.equal(streamed.started_ms, summary.startedMs);
  assert.deepEqual(streamed.streamed.problems, []);

  const [made, counted] = [new K6Metrics(streamed.k6.metrics), summary.metrics];
  for (const tags of [{ phase: 'sustained' }, { operation: 'echo' }]) {
    assert.equal(made.count('mcp_requests', tags), counted.count('mcp_requests', tags));
    assert.deepEqual(made.failed(tags), counted.failed(tags));
    const [ours, theirs] = [made.latency(tags), counted.latency(tags)];
    assert.equal(ours.count, theirs.count);
    assert.ok(ours.latency && theirs.latency);
    // A bucket of Prometheus' is 9 % wide.
    for (const figure of /** @type {const} */ (['avg', 'p50', 'p75', 'p95'])) {
      const ratio = ours.latency[figure] / theirs.latency[figure];
      assert.ok(Math.abs(ratio - 1) < 0.1, `${figure}: ${ours.latency[figure]}, ${theirs.latency[figure]}`);
    }
  }
  const scope = { phase: 'sustained' };
  for (const name of ['iterations', 'data_sent', 'data_received'])
    assert.equal(made.count(name, scope), counted.count(name, scope), name);
  const slow = counted.slow(scope, LIMIT_MS) ?? 0;
  assert.ok(slow >= counted.latency(scope).count / 10 - 1, `${slow}`);
  assert.equal(made.slow(scope, LIMIT_MS), slow);

  const [, said] =
    /: \S+ % of [\d,]+ requests took that long \((\d+)\)/.exec(document.verdict.reasons.join('\n')) ?? [];
  assert.equal(Number(said), slow);
  assert.match(readFileSync(`${folder}/report.md`, 'utf8'), /Percentiles come from histograms/);
  assert.match(output, UNDER_LOAD, 'progress is shown');
});

test('objectives that are kept: exit code 0', async () => {
  const { code, output, document } = await runTest('sustained', variables);
  assert.equal(code, 0, output.slice(-3000));
  assert.ok(document.thresholds.length >= 4);
  for (const { ok } of document.thresholds) assert.equal(ok, true);
});

test('Prometheus goes away in mid-run: what k6 measured is judged, and what is missing is said', async () => {
  const { code, output } = await runTest('sustained', variables, async () => {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await control('stop', 'prometheus');
  });
  await control('start', 'prometheus');
  assert.equal(code, 0, output.slice(-3000));
  assert.match(output, /server signals are missing because/);
});
