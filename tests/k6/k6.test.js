/** Whatever a server answers, over real sockets: the right kind of failure, and never a crash or a hang. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { command } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { startEndlessListServer } from './endless-list-server.js';
import { PATHS, startFailingServer } from './failing-server.js';
import { passes } from './passes.js';

await ownStack({ up: 'later' });

/** @type {Awaited<ReturnType<typeof startFailingServer>>} */
let server;
/** @type {Awaited<ReturnType<typeof startEndlessListServer>>} */
let endless;
before(async () => {
  [server, endless] = await Promise.all([startFailingServer(), startEndlessListServer()]);
});
after(() => Promise.all([server.close(), endless.close()]));

test('every failure has its kind, and connecting to such a server ends with one line', () =>
  passes('failures.js', { SERVER_URL: server.url, PATHS: PATHS.join(',') }));

test('a run against a hostile server ends with 3 and one line, before anything is loaded', async () => {
  const urls = [
    ...['new-pages-for-ever', 'silent-list'].map((path) => `${endless.url}/${path}`),
    ...['stalled-sse-comments', 'stalled-drip', 'protocol-html', 'too_large-50-mb', 'protocol-utf8'].map(
      (path) => `${server.url}/${path}`,
    ),
  ];
  await Promise.all(
    urls.map(async (url) => {
      const { code, output } = await command('scripts/run', ['baseline', 'DRY_RUN=1', `TARGET_URL=${url}`]);
      assert.equal(code, 3, output);
      const [asking = '', error = '', ...more] = output.trim().split('\n');
      assert.match(asking, /^listing the operations of /);
      assert.ok(error.startsWith(`error: ${url}`) && error.length < 500, error);
      assert.deepEqual(more, []);
    }),
  );
});
