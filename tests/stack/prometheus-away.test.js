/** A run is judged by what the output lab counted, with Prometheus or without. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { inScope, latenciesOf, slowOf } from '../../analysis/collect/groups.ts';
import { readSummary } from '../../analysis/collect/summary.ts';
import { control, runTest } from '../lab.js';
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

test('every call over a limit is counted, and the objective is judged by that', async () => {
  const { code, output, folder, document } = await runTest('sustained', {
    ...variables,
    THRESHOLDS: `sustained.p95_ms=${LIMIT_MS}`,
  });
  assert.equal(code, 99, output.slice(-3000));
  const { summary } = readSummary(folder);
  assert.ok(summary);
  const own = inScope(summary.groups, { phase: 'sustained' });
  const slow = slowOf(own, LIMIT_MS) ?? 0;
  assert.ok(slow >= latenciesOf(own).all.count / 10 - 1, `${slow}`);
  const [, said] =
    /: \S+ % of [\d,]+ requests took longer or got no answer \((\d+)\)/.exec(
      document.verdict.reasons.join('\n'),
    ) ?? [];
  assert.equal(Number(said), slow);
  assert.match(readFileSync(`${folder}/report.md`, 'utf8'), /Percentiles come from latency histograms/);
  assert.match(output, UNDER_LOAD, 'progress is shown');
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
