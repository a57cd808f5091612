/** What TARGET_METRICS answers is hostile: it leads nowhere else and fills no memory. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MAX_BYTES, scrapeGroups } from '../../../cli/run/scrape-groups.ts';

let elsewhere = 0;
const other = await listen((_, response) => {
  elsewhere += 1;
  response.end('up 1\n');
});
const bomb = gzipSync(Buffer.alloc(MAX_BYTES + 1, 'x'));
const server = await listen((request, response) => {
  if (request.url === '/redirect') response.writeHead(302, { Location: `${other}/metrics` }).end();
  else if (request.url === '/bomb') response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
  else response.end('process_cpu_seconds_total 1\n');
});

/** @param {import('node:http').RequestListener} answer @returns {Promise<string>} its URL */
async function listen(answer) {
  const made = createServer(answer);
  await new Promise((resolve) => made.listen(0, '127.0.0.1', () => resolve(null)));
  after(() => made.close());
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (made.address()).port}`;
}

test('metrics are a group of scrape targets', async () => {
  const [group] = await scrapeGroups([`${server}/metrics?a=b`]);
  assert.equal(group?.labels.__metrics_path__, '/metrics');
  assert.equal(group?.labels.__param_a, 'b');
});

test('a redirect is not followed', async () => {
  await assert.rejects(scrapeGroups([`${server}/redirect`]), /answers 302; valid: an address with metrics/);
  assert.equal(elsewhere, 0);
});

test('an answer that unpacks to more than the limit is refused, and not kept', async () => {
  const before = process.memoryUsage.rss();
  await assert.rejects(scrapeGroups([`${server}/bomb`]), /has more than 64 MiB of metrics/);
  assert.ok(process.memoryUsage.rss() - before < 4 * MAX_BYTES);
});
