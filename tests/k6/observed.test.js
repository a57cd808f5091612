/** What the client says of sizes and connections is what the server saw. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { command } from '../lab.js';
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

const folder = mkdtempSync(join(tmpdir(), 'observed-'));
/** @type {Awaited<ReturnType<typeof listen>>} */
let address;
before(async () => {
  address = await listen(server);
});
after(async () => {
  await address.close();
  rmSync(folder, { recursive: true });
});

/** @param {Record<string, string>} [env] @returns {Promise<(metric: string) => Record<string, number>>} values by metric */
async function load(env = {}) {
  seen = [];
  const file = join(folder, 'summary.json');
  const { code, output } = await command(
    toolPath('k6'),
    ['run', '--quiet', '--address', '', 'tests/k6/observed.js'],
    {
      TARGET_URL: address.url,
      SUMMARY_FILE: file,
      ...env,
    },
  );
  assert.equal(code, 0, output);
  const { metrics } = JSON.parse(readFileSync(file, 'utf8')).k6;
  return (metric) => metrics[`${metric}{phase:calls}`]?.values ?? {};
}

/** @param {'request' | 'answer'} what @returns the mean of the measured calls, which come last */
const meanOf = (what) => seen.slice(-40).reduce((sum, call) => sum + call[what], 0) / 40;

test('plain: the bytes of the bodies; connections are used again', async () => {
  const of = await load();
  assert.equal(of('mcp_request_bytes').count, 40);
  assert.ok(Math.abs((of('mcp_request_bytes').avg ?? 0) - meanOf('request')) < 1);
  assert.ok(Math.abs((of('mcp_response_bytes').avg ?? 0) - meanOf('answer')) < 1);
  assert.ok(!of('mcp_compressed').count);
  assert.ok((of('mcp_connections').count ?? 0) <= 2);
  assert.equal(of('mcp_keep_alive_seconds').max, server.keepAliveTimeout / 1000);
});

test('compressed: the bytes that came, where gzip is accepted', async () => {
  const of = await load({ ACCEPT_ENCODING: 'gzip' });
  assert.equal(of('mcp_compressed').count, 40);
  assert.ok(Math.abs((of('mcp_response_bytes').avg ?? 0) - meanOf('answer')) < 1);
  assert.ok((of('mcp_response_bytes').avg ?? 0) < TEXT.length / 5);
  assert.equal(of('mcp_requests').count, 40);
  assert.equal(of('mcp_request_failed').passes, 0, 'what is unpacked is understood');
});

test('new connections: one for each call, and how long it took', async () => {
  const of = await load({ NEW_CONNECTIONS: '1' });
  assert.equal(of('mcp_connections').count, 40);
  assert.equal(of('mcp_connect_duration').count, 40);
  assert.ok((of('mcp_connect_duration').avg ?? 0) > 0);
  assert.equal(new Set(seen.slice(-40).map(({ port }) => port)).size, 40);
});
