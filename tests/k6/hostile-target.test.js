/** What a server may do to who asks it what it offers: it costs bounded time and memory, and one harmless line. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { command, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { startEndlessListServer } from './endless-list-server.js';
import { listen } from './listen.js';

await ownStack({ up: 'later' });

const ESCAPES = '\u001b]0;pwned\u0007\u001b[2J\u009b31m\u202e';
/** What a terminal obeys, and what turns the direction of a text. */
const HARMFUL = /[^\P{Cc}\n]|\p{Bidi_Control}/u;
const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'x', version: '1' },
};

/** @param {import('node:http').ServerResponse} response @param {unknown} id @param {object} members */
const reply = (response, id, members) =>
  response
    .writeHead(200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id, ...members }));

let calls = 0;
/** @type {Record<string, (response: import('node:http').ServerResponse, id: unknown, method: string) => unknown>} by path */
const BEHAVIOURS = {
  // Once it is trusted.
  'bomb-later': (response, id, method) => {
    if (method === 'server/discover') return response.writeHead(404).end();
    if (method === 'initialize') return reply(response, id, { result: INITIALIZED });
    if (id === undefined) return response.writeHead(202).end();
    if (method === 'tools/list') {
      const tool = { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
      return reply(response, id, { result: { tools: [tool] } });
    }
    calls += 1;
    if (calls < 100) return reply(response, id, { result: { content: [] } });
    BEHAVIOURS.bomb?.(response, id, method);
  },
  // 64 MiB of spaces in each of its members: 4 GiB in 4 MB.
  bomb: (response) => {
    const block = gzipSync(Buffer.alloc(64 * 2 ** 20, 32));
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
    response.end(Buffer.concat(Array.from({ length: 64 }, () => block)));
  },
  'long-session': (response, id, method) => {
    if (method === 'server/discover') return response.writeHead(404).end();
    response.setHeader('Mcp-Session-Id', 's'.repeat(60_000));
    reply(response, id, { result: INITIALIZED });
  },
  // Not by Node's own writeHead, which lets no such header out.
  redirect: (response) => {
    response.socket?.end(
      Buffer.from(`HTTP/1.1 307 X\r\nLocation: http://192.0.2.1/${ESCAPES}\r\nContent-Length: 0\r\n\r\n`),
    );
  },
  error: (response, id) =>
    reply(response, id, { error: { code: ESCAPES.repeat(1000), message: ESCAPES.repeat(100_000) } }),
  'not-http': (response) => response.socket?.end(`${ESCAPES}\r\n${ESCAPES}\r\n\r\n`),
  'after-the-answer': (response) => {
    response.writeHead(401, { 'WWW-Authenticate': 'Bearer', 'Content-Length': '2' }).end('{}');
    response.socket?.write(`HTTP/1.1 200 ${'x'.repeat(100)}${ESCAPES}\r\n\r\n`);
  },
  versions: (response, id) =>
    reply(response, id, {
      error: { code: -32022, message: '', data: { supported: [ESCAPES, 'x'.repeat(1e6)] } },
    }),
};

/** @type {{url: string, close: () => Promise<void>}} */
let server;
/** @type {Awaited<ReturnType<typeof startEndlessListServer>>} */
let endless;
before(async () => {
  endless = await startEndlessListServer();
  server = await listen(
    createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { id, method } = JSON.parse(body || '{}');
      BEHAVIOURS[(request.url ?? '').slice(1)]?.(response, id, method);
    }),
  );
});
after(() => Promise.all([server.close(), endless.close()]));

/** @param {string} path @param {Record<string, string>} [env] */
const plan = (path, env) =>
  command('scripts/run', ['load', 'DRY_RUN=1', `TARGET_URL=${server.url}/${path}`], env);

test('an answer that would unpack to all the memory there is: exit 3', async () => {
  const { code, output } = await plan('bomb', { GENERATOR_MEMORY: '700' });
  assert.equal(code, 3, output);
  assert.match(
    output,
    /^error: \S+ cannot be used \(the answer has more than \d+ bytes\); is TARGET_URL an MCP endpoint/m,
  );
});

test('the same in the middle of the load: calls that fail', async () => {
  const variables = {
    PROFILE: 'smoke',
    REQUESTS: '120',
    CONCURRENCY: '2',
    TARGET_URL: `${server.url}/bomb-later`,
  };
  const { code, output, document } = await runTest('load', variables, undefined, { GENERATOR_MEMORY: '700' });
  assert.equal(code, 99, output);
  const { failures } = document.phases.find((/** @type {any} */ { measured }) => measured);
  assert.deepEqual(Object.keys(failures), ['too_large']);
});

test('k6 gets no more memory than GENERATOR_MEMORY', async () => {
  const { code, output } = await plan('error', { GENERATOR_MEMORY: '60' });
  assert.equal(code, 2, output);
  assert.match(
    output,
    /^error: k6 exceeded its memory limit of 60 MiB: the target's answers or the test are too large/m,
  );
});

test('a wrong GENERATOR_MEMORY is one line', async () => {
  const { code, output } = await plan('error', { GENERATOR_MEMORY: 'much' });
  assert.equal(code, 2);
  assert.equal(output, 'error: GENERATOR_MEMORY is "much"; valid: MiB, a whole number above 0\n');
});

test('a session id that would make every request large is refused', async () => {
  const { code, output } = await plan('long-session');
  assert.equal(code, 3, output);
  assert.match(output, /a session id of 60000 characters; more than 4096 are not sent/);
});

for (const path of ['redirect', 'error', 'not-http', 'after-the-answer', 'versions']) {
  test(`escape codes in what a server says (${path}): one harmless line, bounded`, async () => {
    const { code, output } = await plan(path);
    assert.equal(code, 3, output);
    assert.doesNotMatch(output, HARMFUL);
    const lines = output.trim().split('\n');
    assert.ok(lines.length <= 3 && lines.every((line) => line.length < 2200), output.slice(0, 3000));
  });
}

test('a list that never ends is read for a bounded time, and what was left out is one line', async () => {
  const { code, output, seconds } = await command('scripts/run', [
    'load',
    'DRY_RUN=1',
    `TARGET_URL=${endless.url}/big-pages-for-ever`,
  ]);
  assert.equal(code, 0, output);
  const flat = output.replace(/\s+/g, ' ');
  assert.match(
    flat,
    / - the rest of tools\/list: the list continues after \d+ pages with \d+ items \(\d+ KB\); only these items /,
  );
  assert.ok(seconds < 30, `${seconds} s`);
  assert.doesNotMatch(output, HARMFUL);
});
