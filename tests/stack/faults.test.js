/** The tools of the faults by themselves: proxies, the link that loses packets, processes. No load. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS } from '../../scenarios/chaos/faults.ts';
import { startHelper } from '../../scenarios/chaos/helper.ts';
import { makeLossyLink, whyNoLink } from '../../scenarios/chaos/lossy-link.ts';
import { startToxiproxy } from '../../scenarios/chaos/toxiproxy.ts';
import { setUp, toolPath } from '../tool.js';

// Root alone makes a network that loses packets.
if (process.getuid?.() === 0) setUp('packet-loss');

const http = createServer((_, response) => response.end('here'));
let server = '';
/** @type {import('../../scenarios/chaos/toxiproxy.ts').Toxiproxy} */
let toxiproxy;

before(async () => {
  await new Promise((resolve) => http.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
  server = `127.0.0.1:${port}`;
  toxiproxy = await startToxiproxy(toolPath('toxiproxy'));
});
after(async () => {
  await toxiproxy?.stop();
  http.closeAllConnections();
  http.close();
});

/** @param {number} port @returns {Promise<string>} what comes back within a second, or why nothing does */
async function get(port) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      signal: AbortSignal.timeout(1000),
      headers: { Connection: 'close' },
    });
    return await answer.text();
  } catch (error) {
    return String(/** @type {any} */ (error).cause?.code ?? /** @type {Error} */ (error).name);
  }
}

test('each fault of a network, made and removed, leaves its proxy as it was', async () => {
  /** @type {Record<string, number>} */
  const ports = {};
  for (const proxy of ['target', 'database', 'redis']) ports[proxy] = await toxiproxy.proxy(proxy, server);
  const untouched = await toxiproxy.proxies();
  const site = /** @type {any} */ ({ toxiproxy });
  // redis-cut cuts a relay, and no proxy (tests/unit/scenarios/redis-relay.test.js).
  const ofNetworks = FAULTS.filter(
    ({ name }) => /latency|reset|bandwidth|cut|silence/.test(name) && name !== 'redis-cut',
  );
  assert.equal(ofNetworks.length, 12);
  for (const { name, handle } of ofNetworks) {
    const { inject, remove } = handle(site);
    await inject();
    assert.notDeepEqual(await toxiproxy.proxies(), untouched, name);
    await remove();
    assert.deepEqual(await toxiproxy.proxies(), untouched, name);
    // Again, as at the end of a test that was cut off.
    await remove();
  }
  for (const port of Object.values(ports)) assert.equal(await get(port), 'here');
});

test('a cut connection is refused, a reset one reset, a silent one says nothing', async () => {
  const port = await toxiproxy.proxy('one', server);
  await toxiproxy.cut('one');
  assert.equal(await get(port), 'ECONNREFUSED');
  await toxiproxy.join('one');
  const reset = /** @type {const} */ ({ type: 'reset_peer', attributes: { timeout: 0 } });
  await toxiproxy.addToxic('one', reset);
  assert.equal(await get(port), 'ECONNRESET');
  await toxiproxy.removeToxic('one', reset);
  const silence = /** @type {const} */ ({ type: 'timeout', attributes: { timeout: 0 } });
  await toxiproxy.addToxic('one', silence);
  // The server's end of the connection is passed on, its answer is not.
  assert.notEqual(await get(port), 'here');
  await toxiproxy.removeToxic('one', silence);
  assert.equal(await get(port), 'here');
});

const noLink = await whyNoLink();

test('the link loses what it is told to, and goes away', { skip: noLink ?? false }, async () => {
  const link = await makeLossyLink({ binary: toolPath('toxiproxy'), toxiproxy, server });
  try {
    assert.equal(await get(link.port), 'here');
    await link.lose(0.999);
    assert.equal(await get(link.port), 'TimeoutError');
    await link.lose(0);
    // TCP itself waits before it tries again what was lost.
    const answers = [await get(link.port), await get(link.port), await get(link.port)];
    assert.ok(answers.includes('here'), String(answers));
  } finally {
    await link.stop();
  }
  assert.doesNotMatch(execFileSync('ip', ['link'], { encoding: 'utf8' }), interfacesOf(process.pid));
});

test('where the process that made it is killed, nothing of the link stays', {
  skip: noLink ?? false,
}, async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', LINK, toolPath('toxiproxy'), server], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const ours = interfacesOf(Number(child.pid));
  assert.match(execFileSync('ip', ['link'], { encoding: 'utf8' }), ours);
  child.kill('SIGKILL');
  for (let wait = 0; ours.test(execFileSync('ip', ['link'], { encoding: 'utf8' })); wait += 1) {
    assert.ok(wait < 100, 'the interface is still there');
    await sleep(100);
  }
});

const LINK = `
  import { startToxiproxy } from './scenarios/chaos/toxiproxy.ts';
  import { makeLossyLink } from './scenarios/chaos/lossy-link.ts';
  const [binary, server] = process.argv.slice(1);
  const toxiproxy = await startToxiproxy(binary);
  await makeLossyLink({ binary, toxiproxy, server });
  console.log('made');`;

/** @param {number} pid */
const interfacesOf = (pid) => new RegExp(`\\bmll${pid.toString(36)}a\\b`);

test('a process that is a fault ends with its stop', async () => {
  const stop = await startHelper('burner.js');
  await stop();
  await assert.rejects(startHelper('no-such-helper.js'), /exited instead of starting/);
});

test('names of faults are names of trials, each once', () => {
  const names = FAULTS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z0-9-]+$/);
});
