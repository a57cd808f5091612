/**
 * Whoever takes a port of the stack while nothing of the stack listens on it: at the first start, after a kill (as `chaos` does it),
 * at a restart. A fake server asks for the password as its protocol allows, and must not get it.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { command, control, envFile, startCommand } from '../lab.js';
import { ownStack } from '../own-stack.js';

await ownStack({ up: 'later' });

const RUN_DIR = process.env.RUN_DIR ?? '';
const SSL_REQUEST = 80_877_103;
const CLEARTEXT_REQUEST = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
/** Longer than the target and the exporters take to reconnect. */
const WINDOW_MS = 4000;

/** @param {Buffer} chunk @returns {string | Buffer} what gets a client to send its password */
function demand(chunk) {
  if (chunk[0] === 0) return chunk.readUInt32BE(4) === SSL_REQUEST ? 'N' : CLEARTEXT_REQUEST;
  if (/^[A-Z]+ \//.test(chunk.toString('latin1'))) return 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  return '-NOAUTH Authentication required.\r\n';
}

/**
 * A fake PostgreSQL, Redis and HTTP server in one, on a port of the stack.
 *
 * @param {string | undefined} port
 * @param {string} [host]
 */
async function fakeOn(port, host = '127.0.0.1') {
  /** @type {Buffer[]} */
  const chunks = [];
  const sockets = new Set();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      socket.write(demand(chunk));
    });
  });
  // The kernel needs a moment to close what a killed process had.
  for (let attempt = 1; !server.listening; attempt += 1) {
    const listening = once(server.listen(Number(port), host), 'listening');
    await listening.catch((error) => (attempt < 50 ? sleep(20) : Promise.reject(error)));
  }
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  after(close);
  return { close, connections: () => connections, secrets: () => secretsIn(Buffer.concat(chunks)) };
}

/** @param {Buffer} received @returns {string[]} names of the stack's secrets that are in it */
function secretsIn(received) {
  const text = received.toString('latin1');
  const logins = [...text.matchAll(/Basic ([\w+/=]+)/g)].map(([, login = '']) =>
    Buffer.from(login, 'base64').toString(),
  );
  const all = [text, ...logins].join('\n');
  return Object.entries(envFile('secrets.env'))
    .filter(([, value]) => all.includes(value))
    .map(([name]) => name);
}

const status = () => command('scripts/status', []);

test('who takes ports between their choice and the first start gets no password', async () => {
  for (const names of [['POSTGRES', 'REDIS', 'PROMETHEUS'], ['SUPERVISOR']]) {
    const { ended } = startCommand('scripts/up', []);
    while (!existsSync(join(RUN_DIR, 'stack.env'))) await sleep(5);
    const fakes = await Promise.all(names.map((name) => fakeOn(envFile('stack.env')[`${name}_PORT`])));
    const { code, output } = await ended;
    assert.notEqual(code, 0, output);
    const got = Object.fromEntries(names.map((name, index) => [name, fakes[index]?.secrets()]));
    assert.deepEqual(got, Object.fromEntries(names.map((name) => [name, []])));
    for (const fake of fakes) await fake.close();
    await command('scripts/clean', []);
  }
});

test('who takes the port of a killed PostgreSQL, Redis or Prometheus gets no password', async () => {
  const { code, output } = await command('scripts/up', []);
  assert.equal(code, 0, output);
  for (const name of ['postgres', 'redis', 'prometheus']) {
    const { [`${name.toUpperCase()}_PORT`]: port } = envFile('stack.env');
    await control('kill', name);
    const fake = await fakeOn(port);
    await sleep(WINDOW_MS);
    const { code, output } = await status();
    assert.equal(code, 1, output);
    assert.match(output, new RegExp(`^${name} +down `, 'm'));
    // The target asks again and again.
    if (name === 'postgres') assert.ok(fake.connections() > 0);
    assert.deepEqual(fake.secrets(), [], name);
    await fake.close();
    await control('start', name);
    const again = await command('scripts/up', []);
    assert.equal(again.code, 0, again.output);
  }
});

test('who takes the port of a killed Redis gets nothing of a target that starts', async () => {
  await control('kill', 'redis');
  const fake = await fakeOn(envFile('stack.env').REDIS_PORT);
  await control('restart', 'target');
  await sleep(WINDOW_MS);
  await command('scripts/fresh-target', []);
  assert.deepEqual(fake.secrets(), []);
  await fake.close();
  const { code, output } = await command('scripts/up', []);
  assert.equal(code, 0, output);
});

test("who takes Redis' port in the middle of a fault gets nothing of the target that suffers it", async () => {
  const { REDIS_PORT } = envFile('stack.env');
  const announced = Promise.withResolvers();
  const chaos = startCommand(
    'scripts/run',
    ['chaos', 'PROFILE=smoke', 'FAULTS=redis-gone', 'DURATION=12s', 'RECOVERY_S=2'],
    {},
    (output) => /^chaos, .*: redis-gone/m.test(output) && announced.resolve(null),
  );
  await Promise.race([announced.promise, chaos.ended]);
  // Redis goes on listening until the fault begins.
  let fake;
  for (const deadline = Date.now() + 60_000; !fake && Date.now() < deadline; ) {
    fake = await fakeOn(REDIS_PORT).catch(() => undefined);
  }
  await sleep(WINDOW_MS);
  assert.deepEqual(fake?.secrets(), []);
  await fake?.close();
  const { code, output } = await chaos.ended;
  assert.ok(code === 0 || code === 98 || code === 99, output);
  assert.match(output, /Redis gone/);
});

test('who takes the port of a killed supervisord gets no password', async () => {
  const [pid] = readFileSync(join(RUN_DIR, 'pids/supervisord'), 'utf8').split(' ');
  process.kill(Number(pid), 'SIGKILL');
  const fake = await fakeOn(envFile('stack.env').SUPERVISOR_PORT);
  for (const action of ['stop', 'start']) await command('scripts/ctl', [action, 'redis_exporter']);
  const { code, output } = await command('scripts/up', []);
  assert.deepEqual(fake.secrets(), []);
  await fake.close();
  assert.equal(code, 0, output);
});

/** @param {string} user @param {string | undefined} password */
async function logIn(user, password) {
  const port = Number(envFile('stack.env').POSTGRES_PORT);
  const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'mcp' });
  await client.connect();
  await client.end();
}

test("the target's role has a password of its own, also in a stack of an older version", async () => {
  const { POSTGRES_PASSWORD, TARGET_DATABASE_PASSWORD } = envFile('secrets.env');
  assert.notEqual(POSTGRES_PASSWORD, TARGET_DATABASE_PASSWORD);
  await logIn('mcp', TARGET_DATABASE_PASSWORD);
  await logIn('postgres', POSTGRES_PASSWORD);
  await assert.rejects(logIn('mcp', POSTGRES_PASSWORD), /password authentication failed/);
  await assert.rejects(logIn('postgres', TARGET_DATABASE_PASSWORD), /password authentication failed/);
  const older = `. scripts/common.sh
    printf "ALTER ROLE mcp PASSWORD '%s'; COMMENT ON ROLE mcp IS NULL;" "$(secret POSTGRES_PASSWORD)" | as_admin -d postgres
    sed -i /^TARGET_DATABASE_PASSWORD=/d "$RUN_DIR/secrets.env"`;
  const made = await command('bash', ['-c', older]);
  assert.equal(made.code, 0, made.output);
  await logIn('mcp', POSTGRES_PASSWORD);
  const { code, output } = await command('scripts/up', []);
  assert.equal(code, 0, output);
  await logIn('mcp', envFile('secrets.env').TARGET_DATABASE_PASSWORD);
  await assert.rejects(logIn('mcp', POSTGRES_PASSWORD), /password authentication failed/);
});

test('variables of the caller steer nothing of what the stack starts, nor where its clients connect', async () => {
  const { code, output } = await command('scripts/down', []);
  assert.equal(code, 0, output);
  const names = [
    ...['PGOPTIONS', 'PGSERVICE', 'PGSSLROOTCERT', 'PGPASSFILE', 'DATA_SOURCE_URI', 'DATA_SOURCE_PASS_FILE'],
    ...['PG_EXPORTER_EXTEND_QUERY_PATH', 'GF_SECURITY_ADMIN_USER', 'REDIS_EXPORTER_SCRIPT', 'K6_HTTP_DEBUG'],
  ];
  const foreign = Object.fromEntries(names.map((name) => [name, `foreign ${name}`]));
  const up = await command('scripts/up', [], { ...foreign, PGHOSTADDR: '127.0.0.9', PGSSLMODE: 'require' });
  assert.equal(up.code, 0, up.output);
  const fake = await fakeOn(envFile('stack.env').POSTGRES_PORT, '127.0.0.9');
  const asked = await command('scripts/status', [], { PGHOSTADDR: '127.0.0.9' });
  assert.equal(asked.code, 0, asked.output);
  assert.equal(fake.connections(), 0);
  await fake.close();
  for (const name of readdirSync(join(RUN_DIR, 'pids'))) {
    const [pid] = readFileSync(join(RUN_DIR, 'pids', name), 'utf8').split(' ');
    assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, 'utf8'), /foreign|127\.0\.0\.9/, name);
  }
});
