/**
 * The life of the native stack, in a folder of its own: up, used, changed, broken, down, clean. Every step starts from
 * what the one before left.
 */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseEnv } from 'node:util';
import pg from 'pg';
import { prometheusHeaders } from '../../analysis/collect/prometheus-headers.ts';
import { command } from '../lab.js';
import { setUp } from '../tool.js';

setUp('k6', 'stack');

const folder = mkdtempSync(join(tmpdir(), 'stack-'));
// Longer than a socket's path may be, and with what a shell would take apart.
const runDir = join(folder, 'a folder; with # and %', 'long'.repeat(30));
const SETTINGS = ['WORKERS', 'POOL_SIZE', 'CACHE_STRATEGY', 'CACHE_TTL', 'RATE_LIMIT_RPS', 'SESSIONS'];
const UNSET = Object.fromEntries(['TARGET_URL', 'TARGET_TOKEN', ...SETTINGS].map((name) => [name, '']));
const environment = { STACK: 'native', RUN_DIR: runDir, ...UNSET };
const timeout = 150_000;

const REFERENCE = ['postgres', 'redis', 'upstream', 'postgres_exporter', 'redis_exporter', 'target'];
const OBSERVE = ['prometheus', 'node_exporter'];

/** @param {string} script @param {string[]} [args] @param {Record<string, string>} [env] */
const run = (script, args = [], env = {}) => command(`scripts/${script}`, args, { ...environment, ...env });

/** @param {string} script @param {string[]} [args] @param {Record<string, string>} [env] */
async function succeeds(script, args, env) {
  const result = await run(script, args, env);
  assert.equal(result.code, 0, result.output);
  return result;
}

/** @param {string} file @returns {Record<string, any>} */
const read = (file) => parseEnv(readFileSync(join(runDir, file), 'utf8'));

/** @returns {Record<string, number>} the processes that the stack recorded, by component */
const pids = () =>
  Object.fromEntries(
    readdirSync(join(runDir, 'pids')).map((name) => [
      name,
      Number(readFileSync(join(runDir, 'pids', name), 'utf8').split(' ')[0]),
    ]),
  );

/** @param {number} pid @returns {string} what no later process has: when it started; empty where there is none */
function identityOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : `${fields[19]}`;
  } catch {
    return '';
  }
}

/** @returns {{pid: number, identity: string}[]} every process of the stack, with the children of its components */
function processes() {
  const leaders = new Set(Object.values(pids()));
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return found.flatMap((name) => {
    const identity = identityOf(Number(name));
    if (identity === '') return [];
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    const [, parent, group] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ours = [Number(name), parent, group].some((pid) => leaders.has(pid ?? -1));
    return ours ? [{ pid: Number(name), identity }] : [];
  });
}

/** @param {string} name of a component; its death is not announced */
function kill(name) {
  const pid = pids()[name];
  assert.ok(pid && identityOf(pid) !== '', `${name} does not run`);
  process.kill(pid, 'SIGKILL');
}

/** @param {{pid: number, identity: string}[]} of */
const alive = (of) => of.filter(({ pid, identity }) => identityOf(pid) === identity);

/**
 * @param {() => Promise<boolean> | boolean} condition
 * @param {number} seconds
 * @param {() => string} what
 */
async function eventually(condition, seconds, what) {
  const until = Date.now() + seconds * 1000;
  while (!(await condition())) {
    assert.ok(Date.now() < until, `not within ${seconds} s: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const headers = () => prometheusHeaders({ PROMETHEUS_USERNAME: 'lab', ...read('secrets.env') });

/** @param {string} query @returns {Promise<any[]>} */
async function prometheus(query) {
  const url = `${read('stack.env').PROMETHEUS_URL}/api/v1/query?query=${encodeURIComponent(query)}`;
  const answer = await fetch(url, { headers: headers() });
  return /** @type {any} */ (await answer.json()).data.result;
}

/** @param {string} sql @returns {Promise<any[]>} */
async function database(sql) {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: Number(read('stack.env').POSTGRES_PORT),
    user: 'mcp',
    database: 'mcp',
    password: read('secrets.env').TARGET_DATABASE_PASSWORD,
  });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** @param {number} port */
async function occupy(port) {
  const server = createServer();
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(undefined));
  });
  return server;
}

/** @type {import('node:net').Server | undefined} */
let occupied;
after(async () => {
  occupied?.close();
  await run('clean');
  rmSync(folder, { recursive: true, force: true });
});

test('before anything is up, every command says so or does nothing', { timeout }, async () => {
  const status = await run('status');
  assert.deepEqual([status.code, status.output], [1, 'no stack is running; start one with: make up\n']);
  assert.equal((await run('logs')).code, 1);
  await succeeds('down');
  await succeeds('clean');
  const wrong = await run('up', ['everything']);
  assert.deepEqual([wrong.code, wrong.output], [2, 'error: SERVICES is "everything"; valid: observe\n']);
});

test('observe brings up what watches a server, and moves away from a port that is taken', {
  timeout,
}, async () => {
  const free = await command(
    'bash',
    ['-c', '. scripts/common.sh; free_port 9090 "$(claim_ports)"'],
    environment,
  );
  occupied = await occupy(Number(free.output));
  const { output } = await succeeds('up', ['observe']);
  const stack = read('stack.env');
  assert.ok(stack.PROMETHEUS_PORT > Number(free.output), output);
  assert.deepEqual(
    [stack.STACK, stack.TARGET_URL, stack.UPSTREAM_URL, stack.POSTGRES_PORT],
    ['native', '', '', undefined],
  );
  assert.deepEqual(Object.keys(pids()).sort(), [...OBSERVE, 'supervisord'].sort());
  assert.equal((await fetch(`${stack.PROMETHEUS_URL}/-/ready`, { headers: headers() })).status, 200);
});

test('up adds the rest, and leaves alone what runs', { timeout }, async () => {
  const before = pids();
  await succeeds('up');
  const now = pids();
  for (const name of [...OBSERVE, 'supervisord']) assert.equal(now[name], before[name], name);
  for (const name of REFERENCE) assert.ok(identityOf(now[name] ?? 0), name);
  const status = await succeeds('status');
  for (const name of [...OBSERVE, ...REFERENCE])
    assert.match(status.output, new RegExp(`^${name} +up `, 'm'));
});

test('a run finds everything where stack.env says', { timeout }, async () => {
  const stack = read('stack.env');
  const secrets = read('secrets.env');
  assert.equal((await fetch(stack.TARGET_METRICS_URL)).status, 200);
  assert.equal((await fetch(`${stack.UPSTREAM_URL}/health`)).status, 200);
  const ask = (/** @type {Record<string, string>} */ headers) =>
    fetch(stack.TARGET_URL, { method: 'POST', headers, body: '{}' });
  assert.equal((await ask({})).status, 401);
  assert.notEqual((await ask({ Authorization: `Bearer ${secrets.TARGET_TOKEN}` })).status, 401);
  const loaded = `
    import { loadStack } from './cli/stack.ts';
    loadStack();
    console.log(process.env.TARGET_URL, process.env.TARGET_TOKEN ?? '');`;
  const load = ['--input-type=module', '--eval', loaded];
  const ours = await command('node', load, { ...environment, TARGET_TOKEN: '' });
  assert.equal(ours.output, `${stack.TARGET_URL} ${secrets.TARGET_TOKEN}\n`);
  // The token is for the stack's own target; a foreign server must not get to see it.
  const foreign = { ...environment, TARGET_URL: 'http://127.0.0.1:1/mcp', TARGET_TOKEN: '' };
  assert.equal((await command('node', load, foreign)).output, 'http://127.0.0.1:1/mcp \n');
});

test('secrets stay with their owner', { timeout }, async () => {
  assert.equal(statSync(join(runDir, 'secrets.env')).mode & 0o777, 0o600);
  const secrets = Object.values(read('secrets.env'));
  assert.equal(new Set(secrets).size, secrets.length);
  const arguments_ = processes().map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  const logs = readdirSync(join(runDir, 'log')).map((name) =>
    readFileSync(join(runDir, 'log', name), 'utf8'),
  );
  const { output } = await succeeds('status');
  for (const secret of secrets) {
    for (const text of [...arguments_, ...logs, output]) assert.ok(!text.includes(`${secret}`));
  }
});

test('everything listens on loopback alone', { timeout }, () => {
  const ports = Object.entries(read('stack.env')).filter(([name]) => name.endsWith('_PORT'));
  assert.ok(ports.length >= 9);
  const listening = ['tcp', 'tcp6'].flatMap((family) =>
    readFileSync(`/proc/net/${family}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A')
      .map((fields) => (fields[1] ?? '').split(':')),
  );
  for (const [name, port] of ports) {
    const addresses = listening.filter(([, hex]) => Number.parseInt(`${hex}`, 16) === Number(port));
    assert.deepEqual(
      addresses.map(([address]) => address),
      ['0100007F'],
      name,
    );
  }
});

test('Prometheus scrapes every part, and the signals have samples', { timeout }, async () => {
  const jobs = ['node', 'postgres', 'prometheus', 'redis', 'target', 'upstream'];
  const expected = [
    ...['cpu:ratio', 'memory:bytes', 'pool_utilization:ratio', 'pool_waiting:count', 'eventloop_lag:seconds'],
    ...['rate_limited:rate', 'breaker_open:rate', 'deadlocks:rate', 'sessions:count'],
    ...['db_connections:ratio', 'db_locks:count', 'db_transactions:rate'],
    ...['host_cpu:ratio', 'host_memory:ratio', 'network:bytes_rate', 'disk_io:bytes_rate'],
    ...['redis_memory:bytes', 'redis_evictions:rate'],
  ].map((name) => `signal:${name}`);
  /** @type {string[]} */
  let up = [];
  /** @type {string[]} */
  let signals = [];
  await eventually(
    async () => {
      up = (await prometheus('up == 1')).map(({ metric }) => metric.job);
      signals = (await prometheus('{__name__=~"signal:.*"}')).map(({ metric }) => metric.__name__);
      return jobs.every((job) => up.includes(job)) && expected.every((name) => signals.includes(name));
    },
    40,
    () =>
      `jobs ${up.join(' ')}; signals without samples: ${expected.filter((name) => !signals.includes(name)).join(' ')}`,
  );
  assert.equal(new Set(signals).size, signals.length, 'a signal is one series');
  const values = await prometheus('{__name__=~"signal:.*"}');
  for (const { metric, value } of values) assert.ok(Number.isFinite(Number(value[1])), metric.__name__);
});

test('Prometheus finds a generator that registers itself, and forgets it', { timeout }, async () => {
  const { PROMETHEUS_TARGETS_DIR, REDIS_EXPORTER_PORT } = read('stack.env');
  const file = join(PROMETHEUS_TARGETS_DIR, 'k6-a-test.json');
  writeFileSync(
    file,
    JSON.stringify([{ targets: [`127.0.0.1:${REDIS_EXPORTER_PORT}`], labels: { testid: 'a-test' } }]),
  );
  const memory = async () =>
    (await prometheus('signal:generator_memory:bytes')).map(({ metric }) => metric.testid);
  await eventually(
    async () => (await memory()).includes('a-test'),
    20,
    () => 'a sample with the testid',
  );
  rmSync(file);
  await eventually(
    async () => (await memory()).length === 0,
    20,
    () => 'no generator',
  );
});

test('a second up is quick and changes nothing', { timeout }, async () => {
  const [before, stack] = [pids(), readFileSync(join(runDir, 'stack.env'), 'utf8')];
  const { seconds } = await succeeds('up');
  assert.ok(seconds < 10, `${seconds} s`);
  assert.deepEqual(pids(), before);
  assert.equal(readFileSync(join(runDir, 'stack.env'), 'utf8'), stack);
});

test('other settings restart the target alone, and stay until others are given', { timeout }, async () => {
  const { target, ...others } = pids();
  const settings = { WORKERS: '1', CACHE_STRATEGY: 'none' };
  await succeeds('up', [], settings);
  const { target: restarted, ...same } = pids();
  assert.notEqual(restarted, target);
  assert.deepEqual(same, others);
  assert.equal(read('stack.env').TARGET_SETTINGS, 'WORKERS=1 CACHE_STRATEGY=none');
  const metrics = await (await fetch(read('stack.env').TARGET_METRICS_URL)).text();
  assert.match(metrics, /^target_workers 1$/m);
  await succeeds('up', [], settings);
  await succeeds('up');
  assert.equal(pids().target, restarted);
});

test('a target that does not start is named, with its reason; the rest stays up', { timeout }, async () => {
  const { target: _, ...others } = pids();
  const { code, output } = await run('up', [], { WORKERS: '999' });
  assert.equal(code, 1);
  assert.match(output, /WORKERS got "999"/);
  assert.match(output, /^error: target does not start$/m);
  const { target: __, ...same } = pids();
  assert.deepEqual(same, others);
  assert.equal((await run('status')).code, 1);
  await succeeds('up');
  assert.equal(read('stack.env').TARGET_SETTINGS, '');
});

test('a setting that is no word never reaches a shell', { timeout }, async () => {
  const { code, output } = await run('up', [], { CACHE_TTL: '1; exit' });
  assert.equal(code, 2);
  assert.match(output, /^error: CACHE_TTL is "1; exit"; valid: a word or a number\n$/m);
});

test('logs shows one component or all', { timeout }, async () => {
  const one = await succeeds('logs', ['target']);
  assert.match(one.output, /target listening/);
  assert.match((await succeeds('logs')).output, /==> .*redis\.log <==/);
  const wrong = await run('logs', ['mysql']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.output, /^error: COMPONENT is "mysql"; valid: postgres redis .*$/m);
});

test('a component that dies is started again; one that is killed on purpose stays down', {
  timeout,
}, async () => {
  const { redis = 0, upstream = 0 } = pids();
  kill('redis');
  await eventually(
    async () => pids().redis !== redis && (await run('status')).code === 0,
    40,
    () => 'Redis back',
  );
  const ctl = (/** @type {string} */ action) =>
    command('bash', ['-c', `. scripts/common.sh; stack_ctl ${action} upstream`], environment);
  assert.equal((await ctl('kill')).code, 0);
  assert.ok(!identityOf(upstream));
  await new Promise((resolve) => setTimeout(resolve, 2000));
  assert.match((await run('status')).output, /^upstream +down /m);
  const other = await command(
    'bash',
    [
      '-c',
      '. scripts/common.sh; mkdir -p "$RUN_DIR"; write_stack_env native "" "" upstream; port_of upstream',
    ],
    { ...environment, RUN_DIR: join(folder, 'other') },
  );
  assert.notEqual(
    Number(other.output),
    Number(read('stack.env').UPSTREAM_PORT),
    'it keeps its port while it is down',
  );
  assert.equal((await ctl('start')).code, 0);
  await eventually(
    async () => (await run('status')).code === 0,
    20,
    () => 'the upstream back',
  );
});

test('up recovers from a supervisord that was killed', { timeout }, async () => {
  await database('create table kept as select 42 as answer');
  const before = processes();
  const forgotten = join(read('stack.env').PROMETHEUS_TARGETS_DIR, 'k6-cut-off.json');
  writeFileSync(forgotten, '[]');
  kill('supervisord');
  const { output } = await succeeds('up');
  assert.match(output, /ending target, left over from a stack that was not stopped/);
  assert.ok(!existsSync(forgotten));
  assert.deepEqual(alive(before), []);
  await succeeds('status');
});

test('down leaves no process, and the data', { timeout }, async () => {
  const before = processes();
  assert.ok(before.length > 15);
  const { seconds } = await succeeds('down');
  assert.ok(seconds < 40, `${seconds} s`);
  assert.deepEqual(alive(before), []);
  assert.ok(!existsSync(join(runDir, 'stack.env')));
  assert.ok(existsSync(join(runDir, 'postgres', 'PG_VERSION')));
  assert.equal((await run('status')).code, 1);
});

test('up again finds the data', { timeout }, async () => {
  const secrets = readFileSync(join(runDir, 'secrets.env'), 'utf8');
  await succeeds('up');
  assert.equal(readFileSync(join(runDir, 'secrets.env'), 'utf8'), secrets);
  assert.deepEqual(await database('select answer from kept'), [{ answer: 42 }]);
});

test('down ends what is left where supervisord was killed, too', { timeout }, async () => {
  const before = processes();
  kill('supervisord');
  await succeeds('down');
  assert.deepEqual(alive(before), []);
});

test('clean removes all of it', { timeout }, async () => {
  const data = realpathSync(join(runDir, 'postgres'));
  await succeeds('clean');
  assert.deepEqual([existsSync(runDir), existsSync(data)], [false, false]);
});
