/** The rules for ContextForge, on a real one in front of a real MCP server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startContextForge } from '../../scenarios/gateway/contextforge.ts';
import { startGo } from '../servers/go.js';
import { toolPath } from '../tool.js';
import { startWatching } from './watch.js';

/** @type {{stop: () => Promise<unknown>}[]} */
const started = [];
/** @type {import('./watch.js').Watch} */
let watch;
/** @type {Awaited<ReturnType<typeof startContextForge>>} */
let gateway;
/** @type {NodeJS.Timeout} */
let calling;

before(async () => {
  const upstream = await startGo();
  started.push(upstream);
  watch = await startWatching();
  started.push(watch);
  // Without a password for anything, which is how its metrics can be had without one.
  const settings = { ENABLE_METRICS: 'true', AUTH_REQUIRED: 'false' };
  gateway = await startContextForge({
    python: toolPath('gateway'),
    upstream: { url: upstream.url, token: '' },
    settings,
  });
  started.push(gateway);
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: gateway.names.status, arguments: {} },
  };
  const headers = { Authorization: `Bearer ${gateway.token}`, 'Content-Type': 'application/json' };
  calling = setInterval(() => {
    fetch(gateway.rpc, { method: 'POST', headers, body: JSON.stringify(body) })
      .then((answer) => answer.text())
      .catch(() => {});
  }, 250);
});

after(async () => {
  clearInterval(calling);
  for (const one of started.reverse()) await one.stop();
});

test('ContextForge: its time for a request, what it refuses, its process', async () => {
  const server = await watch.scrape('contextforge', [`${gateway.origin}/metrics/prometheus`]);
  const expected = {
    'contextforge request:seconds': [1e-4, 10],
    'contextforge rate_limited:rate': [0, 0],
    'contextforge breaker_open:rate': [0, 0],
    'contextforge upstream_timeouts:rate': [0, 0],
    'process cpu:ratio': [0, 1],
    'process memory:bytes': [50 * 2 ** 20, 2 ** 32],
    'process open_files:ratio': [1e-7, 0.5],
  };
  const values = await watch.signals(server, Object.keys(expected));
  for (const [name, [least = 0, most = 0]] of Object.entries(expected)) {
    const got = values[name] ?? Number.NaN;
    assert.ok(got >= least && got <= most, `${name} is ${got}; all: ${JSON.stringify(values)}`);
  }
});

test('with its password it is refused with what to do instead', async () => {
  await assert.rejects(
    watch.scrape('refused', [`${gateway.origin}/metrics`]),
    /answers 40[13]: it requires credentials/,
  );
});
