import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startRedisRelay } from '../../../cli/trials/redis-relay.ts';

/** @param {number} port */
const isTaken = (port) =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(true));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(false)));
  });

/** @param {number} port @returns {Promise<string>} what a client that says PING reads until its connection is closed, or for an answer */
async function ping(port) {
  const client = connect({ host: '127.0.0.1', port });
  client.write('PING');
  const answered = once(client, 'data').catch(() => ['']);
  const closed = new Promise((resolve) => client.once('close', () => resolve([''])));
  const [answer] = await Promise.race([answered, closed]);
  client.destroy();
  return String(answer);
}

test("Redis' port by TCP is held while Redis is down and while it is cut, and leads to its socket otherwise", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), `${'long-'.repeat(20)}relay-`));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'redis'));
  // A path that is longer than a socket's may be.
  process.chdir(join(folder, 'redis'));
  const relay = await startRedisRelay(folder);
  let stopped = false;
  t.after(() => stopped || relay.stop());
  assert.equal(await ping(relay.port), '', 'Redis is down');
  assert.equal(await isTaken(relay.port), true);
  const redis = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  t.after(() => redis.close());
  await once(redis.listen('redis.sock'), 'listening');
  assert.equal(await ping(relay.port), 'PING');
  const open = connect({ host: '127.0.0.1', port: relay.port });
  await once(open, 'connect');
  const closed = new Promise((resolve) => open.on('error', () => {}).once('close', resolve));
  await relay.cut();
  await closed;
  assert.equal(await ping(relay.port), '', 'cut');
  assert.equal(await isTaken(relay.port), true);
  await relay.join();
  assert.equal(await ping(relay.port), 'PING');
  await relay.stop();
  stopped = true;
  assert.equal(await isTaken(relay.port), false);
});
