/** How answers are written: the settings COMPRESSION and CONTENT; and what tools are counted for. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import reference from '../../workloads/reference.js';
import { callTool, connectClient, LEGACY, MODERN, readMetrics } from './client.js';
import { Services, TOKEN } from './services.js';

const services = new Services();
before(() => services.start());
after(() => services.stop());

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/**
 * Calls a tool and hands out the bytes as they came: fetch would unpack them.
 * @param {{url: string}} target
 * @param {string} name
 * @param {object} input
 * @param {string} [accept] Accept-Encoding
 * @returns {Promise<{headers: import('node:http').IncomingHttpHeaders, bytes: Buffer}>}
 */
function callRaw(target, name, input, accept) {
  const headers = {
    Authorization: `Bearer ${TOKEN}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
    ...(accept !== undefined && { 'Accept-Encoding': accept }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(target.url, { method: 'POST', headers }, async (response) => {
      const chunks = await response.toArray();
      resolve({ headers: response.headers, bytes: Buffer.concat(chunks) });
    });
    sent.on('error', reject);
    const params = { name, arguments: input, _meta: META };
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  });
}

const LARGE = { name: 'search_users', input: { query: 'a', limit: 50 } };
const SMALL = { name: 'process_batch', input: { items: [{ key: 'a', value: 1 }] } };

describe('COMPRESSION=gzip', () => {
  /** @type {Awaited<ReturnType<Services['startTarget']>>} */
  let target;
  before(async () => {
    target = await services.startTarget({ COMPRESSION: 'gzip' });
  });
  after(() => target.stop());

  for (const accept of ['gzip', 'br, GZIP;q=0.5', '*']) {
    test(`a large answer is compressed for a client that accepts ${accept}`, async () => {
      const plain = await callRaw(target, LARGE.name, LARGE.input);
      const { headers, bytes } = await callRaw(target, LARGE.name, LARGE.input, accept);
      assert.equal(headers['content-encoding'], 'gzip');
      assert.equal(headers.vary, 'Accept-Encoding');
      assert.equal(Number(headers['content-length']), bytes.byteLength);
      assert.ok(bytes.byteLength < plain.bytes.byteLength / 3, `${bytes.byteLength} bytes`);
      assert.deepEqual(JSON.parse(String(gunzipSync(bytes))), JSON.parse(String(plain.bytes)));
    });
  }

  for (const accept of [undefined, 'identity', 'br', 'gzip;q=0', '*;q=0', 'gzip;q=none']) {
    test(`none is for a client that accepts ${accept}`, async () => {
      const { headers, bytes } = await callRaw(target, LARGE.name, LARGE.input, accept);
      assert.equal(headers['content-encoding'], undefined);
      // A cache between must know that another client would get another answer.
      assert.equal(headers.vary, 'Accept-Encoding');
      assert.equal(JSON.parse(String(bytes)).result.structuredContent.count, 50);
    });
  }

  test('a small answer is not worth it, and an error of a tool still counts', async () => {
    const { headers } = await callRaw(target, SMALL.name, SMALL.input, 'gzip');
    assert.equal(headers['content-encoding'], undefined);
    await callRaw(target, 'get_user', { user_id: 10_001, filler: 'x'.repeat(2000) }, 'gzip');
    assert.equal((await readMetrics(target))('tool_errors_total{endpoint="get_user"}'), 1);
  });
});

test('without the setting nothing is compressed', async () => {
  const target = await services.startTarget();
  const { headers } = await callRaw(target, LARGE.name, LARGE.input, 'gzip');
  assert.equal(headers['content-encoding'], undefined);
  assert.equal(headers.vary, undefined);
  await target.stop();
});

/** What a result has by the setting: whether text, whether structured content. */
const CONTENTS = { structured: [true, true], text: [true, false], 'structured-only': [false, true] };

for (const [CONTENT, [hasText, hasStructured]] of Object.entries(CONTENTS)) {
  describe(`CONTENT=${CONTENT}`, () => {
    /** @type {Awaited<ReturnType<Services['startTarget']>>} */
    let target;
    before(async () => {
      target = await services.startTarget({ CONTENT });
    });
    after(() => target.stop());

    for (const version of [MODERN, ...LEGACY]) {
      test(`the official client takes it in ${version}`, async () => {
        const { client } = await connectClient(target, version);
        const { tools } = await client.listTools();
        // Who promises a schema of the result has to keep to it.
        const structured = tools.filter(({ name }) => name !== 'payload');
        for (const { outputSchema } of structured) assert.equal(outputSchema !== undefined, hasStructured);
        const call = { name: 'get_user', arguments: { user_id: 7 } };
        const { content, structuredContent } = await client.callTool(call);
        assert.equal(content.length, hasText ? 1 : 0);
        assert.equal(structuredContent !== undefined, hasStructured);
        await client.close();
      });
    }

    for (const [name, { args, expect }] of Object.entries(reference.operations)) {
      test(`the workload knows the result of ${name}, and one that is another's`, async () => {
        const given = /** @type {any} */ (args?.({}) ?? {});
        const input = typeof given === 'string' ? JSON.parse(given) : given;
        const { message } = await callTool(target, name, input);
        const reply = /** @type {any} */ ({ text: JSON.stringify(message), result: message.result });
        assert.equal(expect?.(reply, given), true, reply.text);
        // Of these any answer of the right form is right.
        if (['search_users', 'payload'].includes(name)) return;
        const other = { ...input, user_id: 10_000, region: 'nowhere', city: 'Nowhere', items: [] };
        assert.equal(expect?.(reply, other), false);
      });
    }
  });
}

test('queries are counted by the tool that ran them, and not what begins and ends a transaction', async () => {
  const target = await services.startTarget({ CACHE_STRATEGY: 'read-through' });
  const queries = async () => {
    const read = await readMetrics(target);
    return (/** @type {string} */ tool) => read(`database_queries_total{tool="${tool}"}`);
  };
  assert.equal((await queries())('generate_report'), 0, 'a series from the start on');
  await callTool(target, 'generate_report', { region: 'asia' });
  // A miss, then a hit.
  for (let n = 0; n < 2; n++) await callTool(target, 'get_user', { user_id: 77 });
  await callTool(target, 'update_user', { user_id: 77, city: 'Oslo' });
  const now = await queries();
  assert.deepEqual([now('generate_report'), now('get_user'), now('update_user')], [15, 1, 1]);
  await target.stop();
});
