/** A FastMCP server that exports nothing, on the real stack: what the system knows of its processes is watched, and names what limits it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertMeasured, envFile, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { scratchFolder } from '../scratch.js';
import { shopWorkload, startBehind, startShop } from '../servers/shop.ts';

await ownStack();

/** @param {import('../servers/shop.ts').Mix} mix @returns {string} a file */
function workload(mix) {
  const file = join(scratchFolder(), `${Object.keys(mix).join('-')}.json`);
  writeFileSync(file, JSON.stringify(shopWorkload(mix)));
  return file;
}

test('a synchronous tool that blocks all others is named', async () => {
  const shop = await startShop();
  after(() => shop.stop());
  const result = await runTest('spike', {
    PROFILE: 'quick',
    DURATION: '84s',
    RATE_SCALE: '0.08',
    THRESHOLDS: 'off',
    TARGET_URL: shop.url,
    WORKLOAD: workload({ echo: [80, { text: 'a' }], report: [20, { ms: 100 }] }),
  });
  assertMeasured(result);
  const { findings } = result.document;
  const limit = findings.find(
    (/** @type {any} */ { kind, phase }) => kind === 'bottleneck' && phase === 'spike',
  );
  assert.match(
    limit?.statement ?? '',
    /^the server's thread limited the run in spike \(blocking tool\): report blocked it /,
    JSON.stringify(findings, null, 1),
  );
});

test('its connections to PostgreSQL, Redis and a service are signals', async () => {
  /** @type {(() => unknown)[]} */
  const undo = [];
  after(async () => {
    for (const each of undo.reverse()) await each();
  });
  const { env } = await startBehind({
    ports: envFile('stack.env'),
    passwords: envFile('secrets.env'),
    serviceMs: 100,
    undo,
  });
  const shop = await startShop({ ...env, POOL_SIZE: '3' });
  undo.push(() => shop.stop());
  const result = await runTest('sustained', {
    PROFILE: 'quick',
    DURATION: '30s',
    RATE_SCALE: '0.03',
    THRESHOLDS: 'off',
    TARGET_URL: shop.url,
    WORKLOAD: workload({
      order: [40, { ms: 100 }],
      stock: [30, { key: 'a' }],
      weather: [30, { city: 'Oslo' }],
    }),
  });
  assertMeasured(result);
  /** @param {string} name */
  const signal = (name) => result.document.signals.find((/** @type {any} */ one) => one.signal === name);
  for (const name of [
    'cpu',
    'busiest_thread',
    'memory',
    'threads',
    'connections_in',
    'open_files',
    'restarts',
  ])
    assert.ok(signal(name)?.samples > 0, name);
  // The pool opens three at most; a statement takes 100 ms, and is one of some round trips.
  const { min, max } = signal('db_clients');
  assert.ok(min >= 1 && max <= 3, `${min} to ${max} connections`);
  const { avg: statementS } = signal('db_query_duration');
  assert.ok(statementS > 0.01 && statementS < 0.5, `${statementS} s a round trip to PostgreSQL`);
  const { avg: upstreamS } = signal('upstream');
  assert.ok(upstreamS > 0.05 && upstreamS < 0.5, `${upstreamS} s a call of the service`);
  assert.ok(signal('cache_time').avg < upstreamS);
});
