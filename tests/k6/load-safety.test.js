/** Load goes where it was meant to go, as much as was meant, and calls nothing that was not allowed. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { scriptOf, testNames } from '../../contract/tests.js';
import { command } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { toolPath } from '../tool.js';
import { listen } from './listen.js';
import { startOffering } from './offering-server.js';

await ownStack({ up: 'later' });

const k6 = toolPath('k6');
const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const TOOLS = [
  { name: 'look', inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'change', inputSchema: schema },
  { name: 'drop', inputSchema: schema, annotations: { destructiveHint: true } },
];

/** @type {import('./offering-server.js').Recorder} */
let server;
const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-safety-'));
before(async () => {
  server = await startOffering({ tools: TOOLS });
});
after(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

/** @param {...string} args */
const run = (...args) => command('scripts/run', args);

/** @param {Record<string, string>} env @param {string} [script] */
const load = (env, script = 'tests/k6/few-calls.js') =>
  command(k6, ['run', '--quiet', '--summary-mode=disabled', '--address', '', '--log-format', 'raw', script], {
    ...{ PROFILE: 'smoke', DURATION: '1s', MAX_VUS: '2', THRESHOLDS: 'off' },
    ...env,
  });

/** @param {{requests: {method: string, params: any}[]}} server */
const called = ({ requests }) => [
  ...new Set(requests.filter(({ method }) => method === 'tools/call').map(({ params }) => params.name)),
];

test('a target that is not this machine: exit 2 and what to set, before anything is sent', async () => {
  for (const args of [
    ['spike', 'TARGET_URL=http://mcp.invalid/mcp'],
    ['spike', 'TARGET_URL=http://mcp.invalid/mcp', 'TARGET_CONFIRM=other.invalid'],
    ['load', 'TARGET_URL=http://mcp.invalid/mcp', 'TOOL=look', 'ARGS={"text":"x"}'],
  ]) {
    const { code, output } = await run(...args);
    assert.equal(code, 2, output);
    assert.match(output, /^error: TARGET_URL is on mcp\.invalid, .*TARGET_CONFIRM=.*mcp\.invalid$/m);
  }
});

test('the refusal ends with the whole command, also with what makes the load smaller', async () => {
  const { output } = await run('spike', 'TARGET_URL=http://mcp.invalid/mcp', 'RATE_SCALE=0.1', 'TOOLS=a b');
  const [, typed = ''] = /If it is yours to load: (make spike .*)$/m.exec(output) ?? [];
  assert.match(typed, / TARGET_URL=http:\/\/mcp\.invalid\/mcp .*TARGET_CONFIRM=mcp\.invalid$/);
  assert.match(typed, / TOOLS='a b' /);
  assert.match(typed, / RATE_SCALE=0\.1 /);
});

test('a confirmed target is tried; a plan needs no confirmation', async () => {
  for (const allowed of ['TARGET_CONFIRM=mcp.invalid', 'DRY_RUN=1']) {
    const { code, output } = await run('spike', 'TARGET_URL=http://mcp.invalid/mcp', allowed);
    // There is no such name (RFC 2606): it was looked for, which is as far as it gets.
    assert.equal(code, 3, output);
    assert.match(output, /mcp\.invalid\S* cannot be used \(.*no such host/);
  }
});

test('too much load: exit 2 and the variable that allows it, before anything is sent', async () => {
  const sent = server.requests.length;
  const file = join(folder, 'workload.json');
  const workload = {
    ...{ schema: 'mcp-load-lab/workload/1', name: 'mine', dialect: 'mcp' },
    operations: {
      look: { class: 'read', method: 'tools/call', params: { name: 'look' }, arguments: [{ text: '' }] },
    },
    mixes: { default: { look: 1 } },
  };
  writeFileSync(file, JSON.stringify(workload));
  for (const [test, variable, wanted] of /** @type {const} */ ([
    [
      'spike',
      'RATE_SCALE=100',
      /^error: the phase warm-up offers .* more than 5000; lower it, or set MAX_RATE=/m,
    ],
    [
      'load',
      'CONCURRENCY=2000',
      /^error: the phase .* 2000 VUs, more than 1000; lower it, or set MAX_VUS=2000 /m,
    ],
  ])) {
    const { code, output } = await run(test, `TARGET_URL=${server.url}`, `WORKLOAD=${file}`, variable);
    assert.equal(code, 2, output);
    assert.match(output, wanted);
  }
  assert.equal(server.requests.length, sent);
});

test('every test is within the limits, at its full length', async () => {
  for (const file of testNames().map(scriptOf)) {
    const { code, output } = await command(k6, ['inspect', '--include-system-env-vars', file], {
      PROFILE: 'full',
      TARGET_URL: 'http://127.0.0.1:1/mcp',
    });
    assert.equal(code, 0, `${file}: ${output.slice(-500)}`);
  }
});

test('a redirect is not followed, and neither are the headers that let the client in', async () => {
  /** @type {string[]} */
  const strayed = [];
  const other = await listen(
    createServer((request, response) => {
      strayed.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    }),
  );
  for (const status of [301, 302, 303, 307, 308]) {
    const hostile = await listen(
      createServer((_, response) => response.writeHead(status, { Location: `${other.url}/steal` }).end()),
    );
    const TARGET_HEADERS = 'X-Api-Key: very-secret';
    for (const env of /** @type {Record<string, string>[]} */ ([
      { TARGET_TOKEN: 'very-secret' },
      { TARGET_HEADERS },
      { TARGET_HEADERS, OAUTH_CLIENT_ID: 'me', OAUTH_CLIENT_SECRET: 'very-secret' },
    ])) {
      const { code, output } = await load({ TARGET_URL: `${hostile.url}/mcp`, ...env });
      assert.notEqual(code, 0, output);
      assert.ok(!output.includes('very-secret'), output);
    }
    await hostile.close();
  }
  await other.close();
  assert.deepEqual(strayed, []);
});

test('OAuth: no metadata on a host that only the target names', async () => {
  const header = 'Bearer resource_metadata="http://169.254.169.254/latest/meta-data"';
  const hostile = await listen(
    createServer((_, response) => response.writeHead(401, { 'WWW-Authenticate': header }).end()),
  );
  const { code, output } = await load({
    ...{ TARGET_URL: `${hostile.url}/mcp`, OAUTH_CLIENT_ID: 'me', OAUTH_CLIENT_SECRET: 'very-secret' },
  });
  await hostile.close();
  assert.notEqual(code, 0);
  assert.match(
    output,
    /exit 3: .* on another host; .* set TARGET_CONFIRM=169\.254\.169\.254 or OAUTH_TOKEN_URL\)$/m,
  );
});

test('a target on loopback: nothing is dialled elsewhere, whatever a workload asks for', async () => {
  const file = join(folder, 'strays.js');
  writeFileSync(
    file,
    `import http from 'k6/http';
    export default {
      name: 'strays',
      operations: { look: { class: 'read', args: () => {
        // The plan's example is made where there are no requests yet.
        if (__VU === 0) return { text: 'x' };
        const { error } = http.post('http://192.0.2.1:9/mcp', 'x', { timeout: '1s' });
        console.error('dialled: ' + error);
        return { text: 'x' };
      } } },
      mixes: { default: { look: 1 } },
    };`,
  );
  const { output } = await load({ TARGET_URL: server.url, WORKLOAD: file });
  assert.match(output, /dialled: .*blacklisted/);
  assert.doesNotMatch(output, /dialled: (?!.*blacklisted)/);
});

test('a workload whose args throw: exit 2, with the operation and the message', async () => {
  const file = join(folder, 'throws.js');
  writeFileSync(
    file,
    `export default {
      name: 'throws',
      operations: { look: { method: 'tools/call', class: 'read', params: { name: 'look' }, args: () => nope.x } },
      mixes: { default: { look: 1 } },
    };`,
  );
  const { code, output } = await run('load', 'DRY_RUN=1', `TARGET_URL=${server.url}`, `WORKLOAD=${file}`);
  assert.equal(code, 2, output);
  assert.match(output, /^error: args of the operation "look" threw ReferenceError: nope is not defined$/m);
});

test('before the load: the host, the total, the peak rate and the users', async () => {
  const { code, output } = await run('spike', 'DRY_RUN=1', `TARGET_URL=${server.url}`);
  assert.equal(code, 0, output);
  const { host } = new URL(server.url);
  assert.match(output, /^In total 50,000 requests \(without the warm-up\) in 2 min 10 s\.$/m);
  assert.match(
    output,
    new RegExp(`^All requests go to ${host}, at most 2,000/s from 1,000 VUs at a time\\.$`, 'm'),
  );
});

test('a workload file from workload-init calls what was allowed when it was made, and nothing else', async () => {
  for (const [allowed, wanted] of /** @type {const} */ ([
    [[], ['look']],
    [['ALLOW_WRITES=1'], ['look', 'change']],
    [['TOOLS=drop'], ['drop']],
  ])) {
    const file = join(folder, `${wanted.join('-')}.json`);
    const made = await command('scripts/workload-init', [
      `TARGET_URL=${server.url}`,
      `WORKLOAD=${file}`,
      ...allowed,
    ]);
    assert.equal(made.code, 0, made.output);
    const names = Object.values(JSON.parse(readFileSync(file, 'utf8')).operations)
      .filter(({ method }) => method === 'tools/call')
      .map(({ params }) => params.name);
    assert.deepEqual(names.sort(), [...wanted].sort());
    server.requests.length = 0;
    const { code, output } = await load({ TARGET_URL: server.url, WORKLOAD: file });
    assert.equal(code, 0, output);
    assert.deepEqual(called(server).sort(), [...wanted].sort());
  }
});
