import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../contract/free-port.js';
import { scratchFolder } from '../../scratch.js';

const folder = scratchFolder();
/** @type {import('node:child_process').ChildProcess[]} */
const started = [];
after(() => {
  for (const child of started) child.kill();
});

/** @param {string} direction @param {string} addresses */
function relay(direction, addresses) {
  started.push(
    spawn(process.execPath, ['scripts/relay.ts', direction, folder, addresses], { stdio: 'inherit' }),
  );
}

/** @param {() => Promise<unknown>} action that may fail until both halves listen */
async function eventually(action) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await action();
    } catch (error) {
      if (tries >= 100) throw error;
      await sleep(50);
    }
  }
}

test('two halves pass on what is sent both ways, also after a client that left in the middle', async () => {
  const server = createServer((request, answer) => {
    answer.end(`${request.headers.host} ${'x'.repeat(300_000)}`);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  // In one network namespace both can't have the same address, so that the near half has another port.
  const address = `127.0.0.1:${port}`;
  relay('out', address);
  const near = await freePort();
  relay('in', `127.0.0.1:${near}`);
  // The near half looks for a socket by its own address.

  symlinkSync(`${folder}/${address}.sock`, `${folder}/127.0.0.1:${near}.sock`);
  const ask = async () => (await fetch(`http://127.0.0.1:${near}/`)).text();
  const text = await eventually(ask);
  assert.equal(text, `127.0.0.1:${near} ${'x'.repeat(300_000)}`);
  const leaver = connect(near, '127.0.0.1', () => {
    leaver.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    leaver.once('data', () => leaver.destroy());
  });
  await new Promise((resolve) => leaver.once('close', resolve));
  assert.match(await ask(), /^127\.0\.0\.1/);
});
