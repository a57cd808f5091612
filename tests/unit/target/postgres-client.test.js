import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { PostgresClient } from '../../../target/postgres-client.js';

const PASSWORD = 'the-password-of-the-role';
const REQUESTS = {
  cleartext: [0x52, 0, 0, 0, 8, 0, 0, 0, 3],
  md5: [0x52, 0, 0, 0, 12, 0, 0, 0, 5, 1, 2, 3, 4],
};

for (const [name, request] of Object.entries(REQUESTS)) {
  test(`a server that asks for the password (${name}) gets none, and the connection fails`, async () => {
    let received = '';
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
        if (chunk[0] === 0) socket.write(Buffer.from(request));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const client = new PostgresClient({
      ...{ host: '127.0.0.1', port, user: 'mcp', database: 'mcp', password: PASSWORD },
    });
    try {
      await assert.rejects(client.connect(), /asks for its password in a readable form; valid: SCRAM/);
      await client.end();
    } finally {
      server.close();
    }
    assert.match(received, /mcp/);
    // A message of type `p` is what answers, whatever is in it.
    assert.doesNotMatch(received, new RegExp(`${PASSWORD}|p\\0\\0|md5`));
  });
}
