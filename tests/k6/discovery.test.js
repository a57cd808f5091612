/** Discovery and plans, by the commands that people type: what is printed, and what the server is sent. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { command, envFile } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { startEverything } from '../servers/everything.js';
import { toolPath } from '../tool.js';
import { startOffering, startRecordingProxy } from './offering-server.js';

await ownStack();

/** What finding out about a server takes, and no more. */
const DISCOVERY =
  /^(server\/discover|initialize|notifications\/initialized|(tools|resources|resources\/templates|prompts)\/list|completion\/complete|HTTP DELETE)$/;

const READ_ONLY = { readOnlyHint: true };
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const TOOLS = [
  { name: 'look', inputSchema: text, annotations: READ_ONLY },
  { name: 'broken', inputSchema: text, annotations: READ_ONLY },
  { name: 'change', inputSchema: text },
  { name: 'drop', inputSchema: text, annotations: { readOnlyHint: false, destructiveHint: true } },
];
const OFFER = { tools: TOOLS, resources: [{ uri: 'x:1', name: 'one' }], prompts: [{ name: 'hello' }] };

/** Too long for a user to keep a copy of. */
const LONG = 'long '.repeat(1000);

/** @param {string} name */
const call = (name) =>
  name === 'broken' ? { isError: true, content: [{ type: 'text', text: 'out of order' }] } : { content: [] };

/** @param {string[]} args */
const run = (...args) => command('scripts/run', args);

/** @param {import('./offering-server.js').Recorder} server */
const called = ({ requests }) => [
  ...new Set(requests.filter(({ method }) => method === 'tools/call').map(({ params }) => params.name)),
];

/** @type {import('./offering-server.js').Recorder} */
let server;
/** @type {Awaited<ReturnType<typeof startEverything>>} */
let everything;
const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-discovery-'));
before(async () => {
  [server, everything] = await Promise.all([startOffering(OFFER, call), startEverything()]);
});
after(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([server.close(), everything.stop()]);
});

/** @param {Record<string, string>} variables @returns {Promise<any>} the document that discovery writes */
async function discovered(variables) {
  const file = join(folder, `${Object.values(variables).join('-').replace(/\W+/g, '-')}.json`);
  rmSync(file, { force: true });
  const args = Object.entries({ WORKLOAD: file, ...variables }).map(([name, value]) => `${name}=${value}`);
  const { code, output } = await command('scripts/workload-init', args);
  assert.equal(code, 0, output);
  return JSON.parse(readFileSync(file, 'utf8'));
}

test('DRY_RUN=1 says all that a test would do, and sends server-everything nothing but discovery', async () => {
  const proxy = await startRecordingProxy(everything.url);
  try {
    const { code, output } = await run('spike', 'DRY_RUN=1', `TARGET_URL=${proxy.url}`);
    assert.equal(code, 0, output);
    for (const wanted of [
      /^target {2}http:\S+ {2}mcp-servers\/everything \S+ {2}legacy {2}2025-11-25$/m,
      /^listing {3}4 calls, \d.* KiB; the tools are about \d,\d{3} tokens \(4 bytes each\)$/m,
      /^echo +read +[\d.]+ % +\{"message":".*"\}$/m,
      /^tools\/list +protocol +1.25 %$/m,
      /^resource\/architecture.md +read/m,
      /^template\/Dynamic_Text_Resource +read .*dynamic\/text\/1/m,
      /^prompt\/completable-prompt +read .*"Engineering"/m,
      /^- .*toggle-simulated-logging/m,
      /ALLOW_WRITES=1/,
      /^spike +20 s +2,000\/s from up to 1,000 users +40,000$/m,
      /^In total 50,000 requests \(without the warm-up\) in 2 min 10 s\.$/m,
      /^- baseline failure rate < 1 %$/m,
    ]) {
      assert.match(output, wanted);
    }
    for (const line of output.split('\n')) assert.ok([...line].length <= 100, line);
    assert.ok(proxy.requests.length > 5);
    for (const { method } of proxy.requests) assert.match(method, DISCOVERY);
  } finally {
    await proxy.close();
  }
});

test('make plan: the reference target, both eras', async () => {
  const { TARGET_URL = '' } = envFile('stack.env');
  const { TARGET_TOKEN = '' } = envFile('secrets.env');
  for (const [TARGET_PROTOCOL = '', ...version] of [
    ['modern', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ]) {
    const proxy = await startRecordingProxy(TARGET_URL);
    try {
      const { code, output } = await command(
        'make',
        [
          '--no-print-directory',
          'plan',
          'TEST=baseline',
          `TARGET_URL=${proxy.url}`,
          `TARGET_PROTOCOL=${TARGET_PROTOCOL}`,
        ],
        { TARGET_TOKEN },
      );
      assert.equal(code, 0, output);
      assert.match(output, new RegExp(`mcp-load-lab-target 0.1.0 {2}${TARGET_PROTOCOL} {2}${version}$`, 'm'));
      assert.match(output, /^get_user +read +[\d.]+ % +\{"user_id":\d+\}$/m);
      assert.match(output, /^template\/user +read +[\d.]+ % +\{"uri":"users:\/\/1"\}$/m);
      assert.match(output, /^prompt\/greet_user +read +[\d.]+ % +\{"user_id":"1"\}$/m);
      const flat = output.replace(/\s+/g, ' ');
      assert.match(
        flat,
        / - update_user, process_batch\b[^:]*: destructive; called only when named in TOOLS /,
      );
      assert.match(output, /^extreme +at most 1 min +200 users +20,000$/m);
      assert.ok(!output.includes(TARGET_TOKEN));
      for (const { method } of proxy.requests) assert.match(method, DISCOVERY);
    } finally {
      await proxy.close();
    }
  }
});

test('DRY_RUN=1 on the reference target: its own workload, and no call', async () => {
  const { code, output } = await run('sustained', 'DRY_RUN=1');
  assert.equal(code, 0, output);
  assert.match(output, /^workload {2}reference$/m);
  assert.match(output, /^update_user +write +30 %/m);
  assert.match(output, /mcp-load-lab-target 0.1.0 {2}modern/);

  const named = await run('sustained', 'DRY_RUN=1', 'TOOLS=update_user');
  assert.equal(named.code, 0, named.output);
  assert.match(named.output, /^workload {2}mcp-load-lab-target$/m, 'asked, where tools are named');
  assert.match(named.output, /^update_user +write +100 %/m);
});

test('every operation is tried; one that fails is left out with what it said', async () => {
  server.requests.length = 0;
  const document = await discovered({ TARGET_URL: server.url });
  assert.deepEqual(Object.keys(document.operations), [
    ...['look', 'resource/one', 'prompt/hello'],
    ...['tools/list', 'resources/list', 'prompts/list', 'ping'],
  ]);
  assert.deepEqual(called(server), ['look', 'broken']);
  /** @param {string} name */
  const reason = (name) =>
    document.left_out.find((/** @type {any} */ entry) => entry.operation === name).reason;
  assert.equal(reason('broken'), 'call failed: out of order');
  assert.match(reason('change'), /ALLOW_WRITES=1/);
  assert.match(reason('drop'), /TOOLS/);
});

test('a tool for which no arguments can be made: left out, with the line that has it called', async () => {
  const never = { type: 'object', properties: { id: false }, required: ['id'] };
  const own = await startOffering({ tools: [{ name: 'never', inputSchema: never, annotations: READ_ONLY }] });
  try {
    const { code, output } = await run('spike', 'DRY_RUN=1', `TARGET_URL=${own.url}`);
    assert.equal(code, 0, output);
    assert.match(output, /^- never: no valid arguments: /m);
    const [, line = ''] =
      /add them to a workload file \(make workload-init\) and its mix:\n(.*)\n/.exec(output) ?? [];
    const operation = {
      class: 'read',
      method: 'tools/call',
      params: { name: 'never' },
      arguments: [{ id: '?' }],
    };
    assert.deepEqual(JSON.parse(`{${line}}`), { never: operation });
  } finally {
    await own.close();
  }
});

test('ALLOW_WRITES=1 adds what is not marked; TOOLS is just those, destructive ones too', async () => {
  const writes = await discovered({ TARGET_URL: server.url, ALLOW_WRITES: '1' });
  assert.equal(writes.operations.change.class, 'write');
  assert.equal(writes.operations.drop, undefined);
  const named = await discovered({ TARGET_URL: server.url, TOOLS: 'drop,look' });
  assert.deepEqual(named.mixes.default, { drop: 50, look: 50 });
});

test('an unknown tool in TOOLS, or in TOOL without ARGS: exit 2 and those that there are', async () => {
  for (const wrong of ['TOOLS=look,nope', 'TOOL=nope']) {
    const { code, output } = await run('spike', `TARGET_URL=${server.url}`, wrong);
    assert.equal(code, 2, output);
    assert.match(output, /^error: the target has no tool "nope"; it has: look, broken, change, drop$/m);
  }
});

test('TOOL without ARGS: that one tool, its arguments generated', async () => {
  const { code, output } = await run('spike', 'DRY_RUN=1', `TARGET_URL=${server.url}`, 'TOOL=change');
  assert.equal(code, 0, output);
  assert.match(output, /^change +write +100 % +\{"text":".*"\}$/m);
  assert.doesNotMatch(output, /^look/m);
});

test('TOOLS: what a run of just those would do', async () => {
  const { code, output } = await run('spike', 'DRY_RUN=1', `TARGET_URL=${server.url}`, 'TOOLS=look,drop');
  assert.equal(code, 0, output);
  assert.match(output, /^look +read +50 %/m);
  assert.match(output, /^drop +write +50 %/m);
  assert.doesNotMatch(output, /^ping/m);
});

test('nothing is safe to call: lists and pings, and what would allow more', async () => {
  const unsafe = await startOffering({ tools: TOOLS.slice(2) });
  try {
    const { code, output } = await run('spike', 'DRY_RUN=1', `TARGET_URL=${unsafe.url}`);
    assert.equal(code, 0, output);
    assert.match(output, /^tools\/list +protocol +50 %$/m);
    assert.match(output, /^ping +protocol +50 %$/m);
    assert.match(
      output.replace(/\s+/g, ' '),
      /Nothing .* read-only.* ALLOW_WRITES=1 allows .* TOOLS=name,name calls/,
    );
    assert.deepEqual(called(unsafe), []);
  } finally {
    await unsafe.close();
  }
});

test('the same SEED sends the same; another one does not', async () => {
  const k6 = toolPath('k6');
  /** @param {string} SEED */
  const bodies = async (SEED) => {
    const own = await startOffering(OFFER, call);
    try {
      await discovered({ TARGET_URL: own.url, SEED });
      const WORKLOAD = join(folder, 'sent.json');
      const file = join(folder, `${own.url}-${SEED}`.replace(/\W+/g, '-').concat('.json'));
      const document = JSON.parse(readFileSync(file, 'utf8'));
      document.operations.look.arguments.push({ text: LONG });
      writeFileSync(WORKLOAD, JSON.stringify(document));
      own.requests.length = 0;
      const { code, output } = await command(
        k6,
        ['run', '--quiet', '--summary-mode=disabled', '--address', '', 'tests/k6/few-calls.js'],
        {
          ...{ PROFILE: 'smoke', DURATION: '1s', TARGET_URL: own.url, WORKLOAD },
          // Of two users that a busy machine has wait at once, the second may be the first to be heard.
          ...{ MAX_VUS: '1', THRESHOLDS: 'off' },
        },
      );
      assert.equal(code, 0, output);
      const load = own.requests.filter(({ method }) => !DISCOVERY.test(method) || method === 'tools/list');
      assert.ok(load.length > 60, `${load.length} requests`);
      return load.slice(1, 51).map(({ method, params }) => JSON.stringify({ method, params }));
    } finally {
      await own.close();
    }
  };
  const first = await bodies('1');
  assert.deepEqual(await bodies('1'), first);
  assert.ok(new Set(first).size > 5, 'different arguments in turn');
  // Three operations share 95%, and any stretch holds the mix.
  for (const name of ['"name":"look"', '"uri":"x:1"', '"name":"hello"']) {
    const share = first.filter((body) => body.includes(name)).length / first.length;
    assert.ok(Math.abs(share - 0.95 / 3) < 0.05, `${name}: ${share}`);
  }
  assert.ok(first.some((body) => body.includes(LONG)));
  const other = await discovered({ TARGET_URL: server.url, SEED: '2' });
  const same = await discovered({ TARGET_URL: server.url, SEED: '1' });
  assert.notDeepEqual(other.operations.look.arguments, same.operations.look.arguments);
});

test('workload-init writes what WORKLOAD then loads, and never over a file', async () => {
  const document = await discovered({ TARGET_URL: server.url, ALLOW_WRITES: '1' });
  document.mixes = { default: { change: 3, ping: 1 } };
  document.operations.change.arguments = [{ text: 'edited' }];
  const file = join(folder, 'edited.json');
  writeFileSync(file, JSON.stringify(document));
  const { code, output } = await run('spike', 'DRY_RUN=1', `TARGET_URL=${server.url}`, `WORKLOAD=${file}`);
  assert.equal(code, 0, output);
  assert.match(output, /^change +write +75 % +\{"text":"edited"\}$/m);
  assert.match(output, /^ping +protocol +25 %$/m);

  const again = await command('scripts/workload-init', [`TARGET_URL=${server.url}`, `WORKLOAD=${file}`]);
  assert.equal(again.code, 2, again.output);
  assert.match(again.output, /already exists; choose another file/);
  assert.equal(readFileSync(file, 'utf8'), JSON.stringify(document));
});

/** @type {[string, string, RegExp][]} name of the file, its text, what is said */
const WRONG = [
  ['torn.json', '{"schema":', /WORKLOAD \S+torn.json: it cannot be read \(SyntaxError/],
  ['other.json', '{"schema":"x"}', /WORKLOAD \S+other.json: \/ must have required property 'name'/],
  [
    'mix.json',
    JSON.stringify({
      ...{ schema: 'mcp-load-lab/workload/1', name: 'x', dialect: 'mcp', mixes: { default: { pong: 1 } } },
      operations: { ping: { class: 'protocol', method: 'ping', params: {} } },
    }),
    /WORKLOAD \S+mix.json: mixes.default names "pong", which is not in operations; valid: ping$/m,
  ],
  ['empty.js', 'export default {};', /WORKLOAD \S+empty.js: its default export is not an object with name/],
  ['throws.js', 'throw new Error("no");', /WORKLOAD \S+throws.js: it cannot be read \(.*no/],
];
for (const [name, content, message] of WRONG) {
  test(`WORKLOAD=${name}: exit 2 and one line`, async () => {
    const file = join(folder, name);
    writeFileSync(file, content);
    const { code, output } = await run('spike', `TARGET_URL=${server.url}`, `WORKLOAD=${file}`);
    assert.equal(code, 2, output);
    assert.match(output, message);
    assert.equal(output.trim().split('\n').length, 1, output);
  });
}

test('WORKLOAD that is no file: exit 2', async () => {
  const { code, output } = await run('spike', 'WORKLOAD=/nowhere.json');
  assert.equal(code, 2);
  assert.match(
    output,
    /^error: WORKLOAD is "\/nowhere.json", which cannot be read; valid: the path of a .json or .js file$/m,
  );
});

test('a JS workload of the user', async () => {
  const file = join(folder, 'own.js');
  writeFileSync(
    file,
    `export default {
      name: 'own',
      operations: { look: { class: 'read', args: () => ({ text: 'mine' }) } },
      mixes: { default: { look: 1 } },
    };`,
  );
  const { code, output } = await run('spike', 'DRY_RUN=1', `TARGET_URL=${server.url}`, `WORKLOAD=${file}`);
  assert.equal(code, 0, output);
  assert.match(output, /^look +read +100 % +\{"text":"mine"\}$/m);
});

test('batch needs a workload with process_batch: exit 2 and what is needed', async () => {
  const { code, output } = await run('batch', `TARGET_URL=${server.url}`);
  assert.equal(code, 2, output);
  assert.match(
    output,
    /^error: the test batch calls process_batch, which offering does not have; valid: a WORKLOAD .*reference\.js$/m,
  );
});
