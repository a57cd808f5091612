/** What is scraped of a server's processes: of one on this host and of TARGET_CONTAINER's; a server elsewhere is loaded without. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startExporter } from '../../../cli/run/watch.ts';

const folder = mkdtempSync(join(tmpdir(), 'targets-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {Record<string, string>} env @param {'native' | 'external'} kind */
function start(env, kind) {
  Object.assign(process.env, { PROMETHEUS_TARGETS_DIR: folder, STACK: kind, WATCHED_SERVER: '', ...env });
  return startExporter('run-1');
}

for (const [where, kind, url] of /** @type {const} */ ([
  ['elsewhere', 'native', 'https://mcp.example.org/mcp'],
  ['on the host of a container', 'external', 'http://host.docker.internal:3001/mcp'],
  ['on the loopback address that a container shares', 'external', 'http://127.0.0.1:3001/mcp'],
]))
  test(`a server ${where}: nothing is scraped, and the run goes on`, async () => {
    const stop = await start({ TARGET_URL: url }, kind);
    assert.deepEqual(readdirSync(folder), []);
    stop();
  });

test('a program in a container: its exporter is scraped, and the signals are the program’s', async () => {
  const env = { TARGET_URL: 'stdio://localhost/server', STDIO_RUNNER: '/programs/socket' };
  const stop = await start(env, 'external');
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'process-run-1.json'), 'utf8')), [
    { targets: ['watched:9102'], labels: { server: 'server' } },
  ]);
  stop();
  delete process.env.STDIO_RUNNER;
});

test('TARGET_CONTAINER: its exporter is scraped, and the signals are the server’s of TARGET_URL', async () => {
  const env = { TARGET_URL: 'http://my-server:3001/mcp', TARGET_CONTAINER: 'my-server' };
  const stop = await start(env, 'external');
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'process-run-1.json'), 'utf8')), [
    { targets: ['watched:9102'], labels: { server: 'my-server:3001' } },
  ]);
  assert.equal(process.env.WATCHED_SERVER, 'my-server:3001');
  stop();
  assert.deepEqual(readdirSync(folder), []);
});
