/** The dialects for servers that do not speak MCP, against such servers. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertMeasured, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { startGateway, startRestServer } from './dialect-servers.js';

await ownStack({ up: 'later' });

/** @type {Awaited<ReturnType<typeof startGateway>>} */
let gateway;
/** @type {Awaited<ReturnType<typeof startRestServer>>} */
let rest;
/** @type {string} */
let folder;

before(async () => {
  gateway = await startGateway();
  rest = await startRestServer();
  folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-dialects-'));
});
after(async () => {
  await gateway.close();
  await rest.close();
  rmSync(folder, { recursive: true });
});

const SHORT = { PROFILE: 'smoke', DURATION: '2s', RATE_SCALE: '0.3', THRESHOLDS: 'off', MAX_VUS: '20' };

/** @param {any} document run.json */
const measuredPhase = ({ phases }) => phases.find((/** @type {any} */ phase) => phase.measured);

test('a run of one tool against a gateway with plain JSON-RPC', async () => {
  gateway.requests.length = 0;
  const run = await runTest('sustained', {
    ...SHORT,
    TARGET_URL: gateway.url,
    TARGET_PROTOCOL: 'jsonrpc',
    TARGET_HEADERS: 'X-Tenant: acme',
    TOOL: 'add',
    ARGS: '{"a":1,"b":2}',
  });
  assertMeasured(run);
  assert.equal(run.document.target.dialect, 'jsonrpc');
  const { requests, failure_rate: errors } = measuredPhase(run.document);
  assert.ok(requests > 50 && errors === 0, run.output);
  assert.ok(gateway.requests.length > requests);
  for (const { headers, message } of gateway.requests) {
    assert.equal(headers['x-tenant'], 'acme');
    assert.ok(!('mcp-protocol-version' in headers));
    assert.deepEqual(message.params, { name: 'add', arguments: { a: 1, b: 2 } });
  }
});

test('a run of a workload against tools behind REST: users, and the statuses that they are due', async () => {
  const as = (/** @type {string} */ user) => ({ 'X-User-ID': user });
  const list = { class: 'read', method: 'tools/call', params: { name: 'list_files' } };
  const broken = { class: 'read', method: 'tools/call', params: { name: 'broken' } };
  const WORKLOAD = join(folder, 'workload.json');
  const document = {
    schema: 'mcp-load-lab/workload/1',
    name: 'roles',
    dialect: 'rest',
    operations: {
      'dev list': { ...list, arguments: [{ path: '/' }, { path: '/tmp' }], request_headers: as('dev_user') },
      'guest broken': { ...broken, request_headers: as('guest_user'), expect_status: [403] },
      'nobody list': { ...list, request_headers: as('nobody') },
    },
    mixes: { default: { 'dev list': 50, 'guest broken': 40, 'nobody list': 10 } },
  };
  writeFileSync(WORKLOAD, JSON.stringify(document));
  rest.calls.length = 0;
  const run = await runTest('sustained', { ...SHORT, TARGET_URL: rest.url, WORKLOAD });
  assertMeasured(run);
  assert.equal(run.document.target.dialect, 'rest');
  assert.deepEqual(Object.keys(measuredPhase(run.document).failures), ['auth'], run.output);
  /** @param {string} name */
  const errorRate = (name) =>
    run.document.operations.find((/** @type {any} */ { operation }) => operation === name).failure_rate;
  assert.deepEqual(['dev list', 'guest broken', 'nobody list'].map(errorRate), [0, 0, 1]);
  const paths = rest.calls.filter(({ user }) => user === 'dev_user').map(({ body }) => body.arguments.path);
  assert.deepEqual(new Set(paths), new Set(['/', '/tmp']), 'arguments are used in turn');
});

test('a server of another dialect is not asked what it offers', async () => {
  const { code, output } = await runTest('sustained', { TARGET_URL: rest.url, TARGET_PROTOCOL: 'rest' });
  assert.equal(code, 2, output);
  assert.match(output, /TARGET_PROTOCOL is "rest".*valid: with WORKLOAD=path, or TOOL and ARGS/);
});
