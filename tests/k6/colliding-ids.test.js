/** Calls with the same JSON-RPC id at the same time in one session of a real server: k6/x/mcp finds by a nonce which answers are another call's. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { command } from '../lab.js';
import { startEverything } from '../servers/everything.js';
import { startGo } from '../servers/go.js';
import { startPython } from '../servers/python.js';
import { toolPath } from '../tool.js';
import { listen } from './listen.js';

/** How long server-everything's tool waits for its data. Its other tools answer before the server reads the next request. */
const DELAY_MS = 20;
/** @type {Awaited<ReturnType<typeof listen>>} */
let slow;
before(async () => {
  slow = await listen(createServer((_, response) => void setTimeout(() => response.end('a'), DELAY_MS)));
});
after(() => slow.close());

/** @typedef {[method: string, params: object, nonce: string]} Call */

/** @returns {Call} */
const zip = () => ['tools/call', { name: 'gzip-file-as-resource', arguments: { data: slow.url } }, 'name'];
/** @returns {Call} */
const search = () => ['tools/call', { name: 'search' }, 'text'];
/** @returns {Call} */
const review = () => ['prompts/get', { name: 'review' }, 'topic'];

/** The server sends some answers to another call, and others to none. */
const MIXED_UP = ['crossed', 'lost'];
/** The server refuses an id that is in use. */
const REFUSED = ['http_4xx'];

/** @type {[name: string, start: typeof startEverything, call: () => Call, failures: string[]][]} */
const SERVERS = [
  ['TypeScript SDK 1.x (server-everything)', startEverything, zip, MIXED_UP],
  ['Python SDK', startPython, search, MIXED_UP],
  ['Python SDK, JSON', () => startPython({ json: true }), search, MIXED_UP],
  ['Go SDK', startGo, review, REFUSED],
  ['Go SDK, JSON', () => startGo({ json: true }), review, REFUSED],
];

/** The call gets no answer, or only the end of its stream. @type {Record<string, string>} */
const LOST = { timeout: 'lost', stalled: 'lost', protocol: 'lost', http_5xx: 'lost' };

/** @param {Record<string, number>} counts that colliding-ids.js prints */
function failuresOf({ calls: _, ok: __, ...byKind }) {
  const kinds = Object.keys(byKind).filter((kind) => byKind[kind]);
  return [...new Set(kinds.map((kind) => LOST[kind] ?? kind))].sort();
}

for (const [name, start, call, failures] of SERVERS) {
  /** @param {'unique' | 'same'} ids @param {string} timeout */
  const callWith = async (ids, timeout) => {
    const server = await start();
    try {
      const [method, params, nonce] = call();
      const { code, output } = await command(
        toolPath('k6'),
        ['run', '--quiet', '--address', '', '--log-format', 'raw', 'tests/k6/colliding-ids.js'],
        {
          ...{ URL: server.url, IDS: ids, TIMEOUT: timeout },
          ...{ METHOD: method, PARAMS: JSON.stringify(params), NONCE: nonce },
        },
      );
      assert.equal(code, 0, output);
      return JSON.parse(output.trim().split('\n').at(-1) ?? '');
    } finally {
      await server.stop();
    }
  };

  test(`${name}: unique ids`, async () => {
    const counts = await callWith('unique', '5s');
    assert.ok(counts.calls >= 100);
    assert.deepEqual(failuresOf(counts), []);
  });

  test(`${name}: the same id`, async () => {
    const counts = await callWith('same', '500ms');
    assert.ok(counts.calls >= 60);
    assert.deepEqual(failuresOf(counts), failures);
  });
}
