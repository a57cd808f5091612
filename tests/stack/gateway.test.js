/** `make gateway` in front of the real gateway, and `make scaling` behind a real load balancer: short, and left clean. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { startGateway } from '../k6/dialect-servers.js';
import { command, envFile, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';

await ownStack({ needs: ['gateway', 'haproxy'] });

const SHORT = { PROFILE: 'smoke', THRESHOLDS: 'off' };

/** @param {any} document @returns {any[]} */
const measured = (document) => document.phases.filter((/** @type {any} */ phase) => phase.measured);

/** @param {string} folder @returns {string[]} every file in it */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [`${entry.parentPath}/${entry.name}`] : [],
  );
}

test('the real gateway: each way in its tables, nothing of it left, no secret in the results', async () => {
  const { code, output, document, folder } = await runTest('gateway', {
    ...SHORT,
    RATE: '1',
    DURATION: '18s',
  });
  // Invalid (98): a machine that is too busy for the gateway; the figures are there all the same.
  assert.ok(code === 0 || code === 98, output.slice(-4000));
  const [steady, added, loop] = document.tables;
  const ways = ['direct, MCP', 'gateway, MCP', 'gateway, JSON-RPC'];
  assert.deepEqual(
    steady.rows.map((/** @type {any} */ [way]) => way),
    ways,
  );
  assert.deepEqual(
    added.rows.map((/** @type {any} */ [way]) => way),
    ways.slice(1),
  );
  assert.deepEqual(
    loop.rows.map((/** @type {any} */ [way]) => way),
    ways,
  );
  // Two rounds, the second from behind.
  const order = measured(document)
    .filter(({ labels }) => labels.load === 'loop')
    .map(({ labels }) => labels.way);
  assert.equal(order.length, 6);
  assert.deepEqual(order.slice(3), order.slice(0, 3).reverse());
  for (const { name, requests, failures } of measured(document)) {
    assert.ok(requests > 0, name);
    assert.ok(
      Object.keys(failures).every((kind) => kind === 'timeout'),
      `${name}: ${JSON.stringify(failures)}`,
    );
  }
  const log = readFileSync(`${folder}/run.log`, 'utf8');
  assert.match(log, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ round 1 of 2: /m);
  assert.match(log, /Z judged: exit code \d+$/m);
  const token = envFile('secrets.env').TARGET_TOKEN ?? '';
  for (const file of filesIn(folder)) {
    const text = readFileSync(file, 'utf8');
    assert.ok(!text.includes(token), `${file} holds the target's token`);
    assert.doesNotMatch(text, /eyJ[\w-]{20,}\.[\w-]{20,}\./, `${file} holds the gateway's token`);
  }
  const { plan } = JSON.parse(readFileSync(`${folder}/trials/round-1-mcp/measured.json`, 'utf8'));
  await assert.rejects(fetch(plan.target.url), 'the gateway still runs');
});

test('instances behind a balancer: what each number of them does and costs, and then the stack as it was', async () => {
  const targets = `${envFile('stack.env').PROMETHEUS_TARGETS_DIR}/target.json`;
  const before = readFileSync(targets, 'utf8');
  const { code, output, document, folder } = await runTest('scaling', {
    ...SHORT,
    INSTANCES: '2 1',
    DURATION: '2s',
    CONCURRENCY: '5',
    PRICE_PER_INSTANCE_HOUR: '0.2',
  });
  assert.equal(code, 0, output.slice(-4000));
  const [scale, processors] = document.tables;
  const names = scale.columns.map((/** @type {any} */ { name }) => name);
  assert.deepEqual(names.slice(-2), ['cost/hour', 'cost/1M']);
  assert.deepEqual(
    scale.rows.map((/** @type {any} */ row) => [row[0], row.at(-2)]),
    [
      [1, 0.2],
      [2, 0.4],
    ],
  );
  assert.deepEqual(
    measured(document).map(({ labels, vus }) => Number(labels.instances) * 5 - vus),
    [0, 0],
    'as many users for each',
  );
  const busiest = scale.rows[1][names.indexOf('busiest')];
  assert.ok(busiest >= 0.5 && busiest < 0.9, `the busiest of two had ${busiest}`);
  assert.equal(processors.rows.length, 2);
  assert.equal(readFileSync(targets, 'utf8'), before);
  const { plan } = JSON.parse(readFileSync(`${folder}/trials/i2-r1/measured.json`, 'utf8'));
  await assert.rejects(fetch(plan.target.url), 'the balancer still runs');
  const { status } = await fetch(`http://127.0.0.1:${envFile('stack.env').TARGET_PORT}/health`);
  assert.equal(status, 200, "the stack's own target is back");
});

test('a request from a file, so many times from so many users', async () => {
  const server = await startGateway();
  const file = `${mkdtempSync(join(tmpdir(), 'mcp-load-lab-payload-'))}/payload.json`;
  const request = { jsonrpc: '2.0', id: 1, method: 'convert_time', params: { time: '09:00' } };
  writeFileSync(file, JSON.stringify(request));
  try {
    const { code, output, document } = await runTest('load', {
      PROFILE: 'smoke',
      TARGET_URL: server.url,
      PAYLOAD: file,
      REQUESTS: '40',
      CONCURRENCY: '4',
    });
    assert.equal(code, 0, output.slice(-4000));
    const [load] = measured(document);
    assert.deepEqual([load.requests, load.vus, load.failed], [40, 4, 0]);
    assert.equal(document.target.dialect, 'jsonrpc');
    assert.equal(document.workload, 'payload.json');
    for (const { message } of server.requests) {
      assert.deepEqual({ ...message, id: 1 }, request);
    }
  } finally {
    await server.close();
    rmSync(dirname(file), { recursive: true });
  }
});

/** @type {[string, string[], RegExp][]} */
const WRONG_USE = [
  [
    'a file that is not there',
    ['load', 'PAYLOAD=/nope.json'],
    /PAYLOAD is "\/nope.json", which cannot be read/,
  ],
  [
    'a file that is no request',
    ['load', 'PAYLOAD=package.json'],
    /PAYLOAD is ".*package.json", and its jsonrpc is not/,
  ],
  ['more users than calls', ['load', 'REQUESTS=5'], /REQUESTS is 5, fewer than CONCURRENCY=100/],
  ['calls of a test that has no loop', ['spike', 'REQUESTS=5'], /the test spike has no phase of users/],
  [
    'instances of another server',
    ['scaling', 'TARGET_URL=http://127.0.0.1:1/mcp'],
    /TARGET_URL is .*scaling starts/,
  ],
  ['no instances', ['scaling', 'INSTANCES=0'], /INSTANCES is "0"; valid: whole numbers from 1 to 32/],
  [
    'a store that there is not',
    ['gateway', 'GATEWAY_STORE=mysql'],
    /GATEWAY_STORE is "mysql"; valid: sqlite, stack/,
  ],
  [
    'too short',
    ['gateway', 'DURATION=5s'],
    /DURATION is 5 s, for 4 rounds of 3 trials; valid: 36s or longer/,
  ],
  [
    'half a gateway',
    ['gateway', 'GATEWAY_RPC_URL=http://127.0.0.1:1/rpc'],
    /GATEWAY_RPC_URL needs GATEWAY_URL/,
  ],
];
for (const [what, args, message] of WRONG_USE) {
  test(`${what} is one line and exit code 2`, async () => {
    const { code, output } = await command('scripts/run', args);
    assert.equal(code, 2, output);
    assert.match(output, message);
    assert.equal(output.trim().split('\n').length, 1, output);
  });
}
