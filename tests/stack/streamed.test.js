/** Runs whose samples k6 does not keep: the same figures, the same verdict. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { Prometheus } from '../../analysis/prometheus.js';
import { rawSamples } from '../../analysis/raw-samples.js';
import { streamedSummary } from '../../analysis/streamed-summary.js';
import { K6Metrics } from '../../analysis/summary.js';
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

const MISSED = { THRESHOLDS: `sustained.p95_ms=${LIMIT_MS}` };

test('what k6 kept and what it streamed of one and the same run are the same', async () => {
  // With every sample in a file beside it: on a busy machine more calls are slow than the server meant to be.
  process.env.K6_RAW = '1';
  const { code, output, folder } = await runTest('sustained', { ...variables, ...MISSED, SAMPLES: 'keep' });
  delete process.env.K6_RAW;
  assert.equal(code, 99, output.slice(-3000));
  const { plan, started_ms, k6 } = JSON.parse(readFileSync(`${folder}/summary.json`, 'utf8'));
  const streamed = await streamedSummary(
    new Prometheus(envFile('stack.env').PROMETHEUS_URL ?? '', { headers: stackHeaders() }),
    JSON.parse(readFileSync(`${folder}/plan.json`, 'utf8')),
    { untilS: Date.now() / 1000, failedPushesS: [] },
  );
  assert.deepEqual(streamed.plan.target, plan.target);
  assert.equal(streamed.started_ms, started_ms);
  assert.deepEqual(streamed.streamed.problems, []);

  const [kept, made] = [new K6Metrics(k6.metrics), new K6Metrics(streamed.k6.metrics)];
  for (const tags of [{ phase: 'sustained' }, { operation: 'echo' }]) {
    for (const name of ['iterations', 'mcp_requests', 'data_sent', 'data_received']) {
      if (k6.metrics[`${name}{${Object.entries(tags).join().replace(',', ':')}}`]) {
        assert.equal(made.count(name, tags), kept.count(name, tags), name);
      }
    }
    assert.deepEqual(made.failed(tags), kept.failed(tags));
    assert.deepEqual(made.failures(tags), kept.failures(tags));
    const [ours, theirs] = [made.latency(tags), kept.latency(tags)];
    assert.equal(ours.count, theirs.count);
    assert.ok(ours.latency && theirs.latency);
    assert.ok(Math.abs(ours.latency.avg / theirs.latency.avg - 1) < 1e-6);
    assert.ok(ours.latency.min <= theirs.latency.min && ours.latency.max >= theirs.latency.max);
    for (const figure of /** @type {const} */ (['p50', 'p75', 'p95'])) {
      // A bucket's width, and what k6 adds to a percentile on its way to the next sample.
      const ratio = ours.latency[figure] / theirs.latency[figure];
      assert.ok(Math.abs(ratio - 1) < 0.1, `${figure}: ${ours.latency[figure]}, ${theirs.latency[figure]}`);
    }
  }
  const { count } = made.latency({ phase: 'sustained' });
  let slow = 0;
  for await (const { metric, value, tags } of rawSamples(folder)) {
    if (metric === 'mcp_request_duration' && tags.phase === 'sustained' && value >= LIMIT_MS) slow += 1;
  }
  assert.ok(slow >= count / 10 - 1, `${slow} of ${count}`);
  assert.equal(made.slow({ phase: 'sustained' }, LIMIT_MS), slow);
});

test('streamed, a missed objective: exit code 99 and the exact share', async () => {
  const { code, output, document, folder } = await runTest('sustained', {
    ...variables,
    ...MISSED,
    SAMPLES: 'stream',
  });
  assert.equal(code, 99, output.slice(-3000));
  assert.ok(existsSync(`${folder}/summary.json`));
  assert.equal(document.target.era, 'modern');
  const [phase] = document.phases.filter((/** @type {any} */ one) => one.measured);
  assert.ok(phase.requests > 500);
  assert.equal(phase.answered, phase.requests);
  const [, slow] =
    /: \S+ % of [\d,]+ requests took that long \((\d+)\)/.exec(document.verdict.reasons.join('\n')) ?? [];
  assert.ok(Math.abs(Number(slow) - phase.requests / 10) <= 1, `${slow} of ${phase.requests}`);
  assert.match(readFileSync(`${folder}/report.md`, 'utf8'), /Percentiles come from histograms/);
  assert.match(output, UNDER_LOAD, 'progress is shown all the same');
});

test('streamed, objectives that are kept: exit code 0', async () => {
  const { code, output, document } = await runTest('sustained', { ...variables, SAMPLES: 'stream' });
  assert.equal(code, 0, output.slice(-3000));
  assert.ok(document.thresholds.length >= 4);
  for (const { ok } of document.thresholds) assert.equal(ok, true);
});

test('Prometheus goes away in mid-run: the figures are lost, exit code 98 and why', async () => {
  const { code, output } = await runTest('sustained', { ...variables, SAMPLES: 'stream' }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await control('stop', 'prometheus');
  });
  await control('start', 'prometheus');
  assert.equal(code, 98, output.slice(-3000));
  assert.match(
    output.replace(/\s+/g, ' '),
    /k6 kept no samples, and what it wrote to Prometheus can't be read: .*can't be reached/,
  );
});
