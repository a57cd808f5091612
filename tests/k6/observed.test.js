/** What the client says of sizes and connections is what the server saw. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { counterOf, gaugeOf, inScope, total, trendOf } from '../../analysis/collect/groups.ts';
import { readSummary } from '../../analysis/collect/summary.ts';
import { labOutput } from '../../cli/k6.ts';
import { command } from '../lab.js';
import { scratchFolder } from '../scratch.js';
import { toolPath } from '../tool.js';
import { listen } from './listen.js';

const TEXT = `"user1@example.com" ${'of many '.repeat(300)}`;

/** What the server saw of calls. @type {{request: number, answer: number, port: number}[]} */
let seen = [];

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { id, method, params } = JSON.parse(body);
  const tools = [{ name: 'get_user', inputSchema: { type: 'object' } }];
  const email = `user${params?.arguments?.user_id}@example.com`;
  const result = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools, ttlMs: 0, cacheScope: 'private' },
  }[String(method)] ?? { content: [{ type: 'text', text: TEXT }], structuredContent: { email } };
  const plain = Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } }),
  );
  const packed = request.headers['accept-encoding'] === 'gzip';
  const bytes = packed ? gzipSync(plain) : plain;
  if (packed) response.setHeader('Content-Encoding', 'gzip');
  response
    .setHeader('Content-Type', 'application/json')
    .setHeader('Content-Length', bytes.byteLength)
    .end(bytes);
  if (method === 'tools/call')
    seen.push({ request: body.length, answer: bytes.byteLength, port: Number(request.socket.remotePort) });
});

/** @type {Awaited<ReturnType<typeof listen>>} */
let address;
before(async () => {
  address = await listen(server);
});
after(() => address.close());

/** @param {Record<string, string>} [env] @returns the metrics of the run */
async function load(env = {}) {
  seen = [];
  const folder = scratchFolder();
  const args = ['run', '--quiet', '--address', '', ...labOutput(folder), 'tests/k6/observed.js'];
  const { code, output } = await command(toolPath('k6'), args, { TARGET_URL: address.url, ...env });
  assert.equal(code, 0, output);
  const { summary } = readSummary(folder);
  assert.ok(summary);
  return inScope(summary.groups, CALLS);
}

const CALLS = { phase: 'calls' };

/** @param {'request' | 'answer'} what @returns the mean of the measured calls, which come last */
const meanOf = (what) => seen.slice(-40).reduce((sum, call) => sum + call[what], 0) / 40;

/** @param {Awaited<ReturnType<typeof load>>} calls @param {string} name @param {number} expected of the mean; histograms round by 0.1 % */
function assertMean(calls, name, expected) {
  const { count, mean } = trendOf(calls, name);
  assert.equal(count, 40);
  assert.ok(Math.abs((mean ?? 0) / expected - 1) < 0.001, `${name}: ${mean}, not ${expected}`);
}

test('plain: the bytes of the bodies; connections are used again', async () => {
  const calls = await load();
  assertMean(calls, 'mcp_request_bytes', meanOf('request'));
  assertMean(calls, 'mcp_response_bytes', meanOf('answer'));
  assert.equal(counterOf(calls, 'mcp_compressed'), 0);
  assert.ok(total(calls, 'connections') <= 2);
  assert.equal(gaugeOf(calls, 'mcp_keep_alive_seconds')?.[1], server.keepAliveTimeout / 1000);
});

test('compressed: the bytes that came, where gzip is accepted', async () => {
  const calls = await load({ ACCEPT_ENCODING: 'gzip' });
  assert.equal(counterOf(calls, 'mcp_compressed'), 40);
  assertMean(calls, 'mcp_response_bytes', meanOf('answer'));
  assert.ok(meanOf('answer') < TEXT.length / 5);
  assert.deepEqual(
    [total(calls, 'failed'), total(calls, 'requests')],
    [0, 40],
    'what is unpacked is understood',
  );
});

test('new connections: one for each call, and how long it took', async () => {
  const calls = await load({ NEW_CONNECTIONS: '1' });
  assert.equal(total(calls, 'connections'), 40);
  const { count, mean } = trendOf(calls, 'mcp_request_connecting');
  assert.equal(count, 40);
  assert.ok((mean ?? 0) > 0);
  assert.equal(new Set(seen.slice(-40).map(({ port }) => port)).size, 40);
});
