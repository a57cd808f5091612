/**
 * The native stack by the commands of README, from nothing to `make clean`; then one run each that fails, is invalid, is
 * interrupted, and is refused. Nothing here depends on how fast the machine is: a database or a server of known latency is what takes time.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOffering } from '../k6/offering-server.js';
import { askPrometheus, command, envFile, freePort, runTest } from '../lab.js';
import { commandsOf } from '../markdown.js';
import { ownStack } from '../own-stack.js';
import { startEverything } from '../servers/everything.js';
import { UNDER_LOAD } from '../under-load.js';
import { assertComplete, measured, SIGNALS, STEADY_SPIKE, samplesOf, sum } from './complete-run.js';
import { interrupt, isPartial, nothingIsLeft } from './interrupt.js';

await ownStack({ up: 'later' });
const { RUN_DIR = '', RESULTS_DIR = '' } = process.env;

/** Commands of README, each as it stands there. */
const DOCUMENTED = [...new Set(commandsOf('README.md'))];
const NOT_RUN = { 'make test': 'this is a part of it' };
/** @type {Set<string>} */
const typed = new Set();

/** Where a page has the address of the reader's own server. */
const OWN = 'http://127.0.0.1:3001/mcp';

/**
 * @param {string} text a command as a page has it
 * @param {Record<string, string>} [env]
 * @param {string} [url] in place of the reader's own server
 */
async function type(text, env = {}, url = OWN) {
  typed.add(text);
  const ended = await command('bash', ['-c', text.replace(OWN, url)], env);
  // What is not judged is invalid only if the machine is too busy for the load.
  const isBusy = env.THRESHOLDS === 'off' && /^VERDICT invalid/m.test(ended.output);
  assert.ok(ended.code === 0 || isBusy, `${text}\n${ended.output}`);
  return ended;
}

/** @returns {{folder: string, document: any}} the newest run */
function latest() {
  const folder = realpathSync(join(RESULTS_DIR, 'latest'));
  return { folder, document: JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) };
}

const everything = await startEverything();
after(() => everything.stop());

test('before anything is up: the list of tests, and a plan', async () => {
  assert.match((await type('make list')).output, /^spike +33 s /m);
  assert.match((await type('make plan TEST=soak')).output, /^In total .* requests/m);
  const status = await command('make', ['status']);
  assert.equal(status.code, 2);
  assert.match(status.output, /no stack is up/);
});

test('make spike: a pass, with every signal', async () => {
  const { output } = await type('make spike', STEADY_SPIKE);
  const run = latest();
  assertComplete({ output, ...run });
  const { document } = run;
  assert.match(output, /^VERDICT pass \(exit code 0\)/m);
  // While it went on, each ten seconds.
  const lines = [...output.matchAll(/^0:\d\d of [\d:]+ {2}\d+ s left in [\w-]+, .*$/gm)].map(
    ([line]) => line,
  );
  assert.ok(lines.length >= 4, output);
  const figures = /, [\d.]+ of [\d.]+ requests\/s, p99 [\d.,]+ ms, 0 % failed/;
  // A phase that has only begun has none.
  assert.ok(lines.filter((line) => figures.test(line)).length >= 2, output);
  assert.deepEqual(
    document.phases.map((/** @type {any} */ { name }) => name),
    ['warm-up', 'baseline', 'spike', 'recovery', 'recovered'],
  );
  for (const signal of SIGNALS) assert.ok(samplesOf(document, signal) > 0, `${signal} has no samples`);
  assert.ok(document.findings.length > 0);
  const series = `{__name__=~"k6_mcp_request_duration_seconds|k6_mcp_requests_total",testid="${document.testid}"}`;
  const { result } = await askPrometheus('query', { query: `${series}[10m]` });
  assert.ok(result.some((/** @type {any} */ { histograms }) => histograms));
  for (const { metric } of result)
    assert.ok(!Object.keys(metric).some((label) => label.startsWith('k6_feature')), JSON.stringify(metric));
});

test('what README says to look at a run with', async () => {
  const status = await type('make status');
  for (const part of [
    'prometheus',
    'node_exporter',
    'postgres',
    'redis',
    'target',
    'postgres_exporter',
    'redis_exporter',
  ])
    assert.match(status.output, new RegExp(`^${part} +up `, 'm'));
  assert.match((await type('make logs COMPONENT=target')).output, /listening|started|ready/i);
  assert.match((await type('make report RUN=latest')).output, /report\.html/);
  for (const text of ['make spike PROFILE=smoke', 'make spike THRESHOLDS=off'])
    assert.match((await type(text, { DRY_RUN: '1' })).output, /^In total .* requests/m);
});

test('make dashboards, without a Grafana, and make live: the newest run, until Ctrl-C', async () => {
  for (const name of ['dashboards', 'live']) {
    typed.add(`make ${name}`);
    const child = spawn('make', [name], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const ended = new Promise((resolve) => child.once('close', resolve));
    const url = () => /^(http:\/\/127\.0\.0\.1:\d+\/)#token=(\S+)$/m.exec(output);
    while (!url() && child.exitCode === null) await sleep(50);
    const [, address = '', token] = url() ?? [];
    const page = await fetch(`${address}page.json`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(page.status, 200, output);
    const { headline, plots } = /** @type {any} */ (await page.json());
    assert.equal(headline, latest().document.headline);
    assert.equal(plots.strip.length, 4);
    process.kill(-Number(child.pid), 'SIGINT');
    await ended;
  }
});

test('a server that no one here wrote: its address is enough', async () => {
  // Prometheus takes up to 5 s to see a new target; a rate takes two scrapes, and its rule up to 2 s.
  const short = { PROFILE: 'smoke', DURATION: '16s', RATE_SCALE: '0.3', THRESHOLDS: 'off' };
  const plan = await type(`make plan TARGET_URL=${OWN}`, {}, everything.url);
  assert.match(plan.output, /^In total .* requests/m);
  const { output } = await type(`make spike TARGET_URL=${OWN}`, short, everything.url);
  const run = latest();
  assertComplete({ output, ...run });
  const { document } = run;
  assert.equal(document.target.era, 'legacy');
  assert.match(document.target.server.name, /everything/);
  assert.equal(sum(measured(document).map(({ failed }) => failed)), 0);
  const called = document.operations.map((/** @type {any} */ { operation }) => operation);
  for (const wanted of ['echo', 'resource/architecture.md', 'prompt/simple-prompt', 'tools/list', 'ping'])
    assert.ok(called.includes(wanted), `${wanted} of ${called}`);
  assert.ok(!called.includes('toggle-simulated-logging'), 'not marked as read-only');
  for (const signal of ['host_cpu', 'generator_cpu']) assert.ok(samplesOf(document, signal) > 0, signal);
  // Of its process, with nothing to set.
  for (const signal of ['cpu', 'busiest_thread', 'memory', 'open_files', 'connections_in'])
    assert.ok(samplesOf(document, signal) > 0, `${signal} has no samples`);
  const connected = document.signals.filter((/** @type {any} */ { signal }) => signal === 'connections_in');
  assert.ok(
    connected.some((/** @type {any} */ { max }) => max > 0),
    JSON.stringify(connected),
  );
  assert.equal(samplesOf(document, 'pool_utilization'), 0, "that is another server's");
});

test('a missed objective is exit code 99, too few samples are 98 or refused, each with its reason', async () => {
  const tools = [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
  const slow = await startOffering({ tools }, () => sleep(500, { content: [] }));
  after(() => slow.close());
  const common = { PROFILE: 'smoke', TARGET_URL: slow.url, TOOL: 'look', ARGS: '{}' };

  const missed = await runTest('sustained', {
    ...common,
    DURATION: '6s',
    THRESHOLDS: 'sustained.p50_ms=50',
  });
  assert.equal(missed.code, 99, missed.output);
  assert.equal(missed.document.verdict.outcome, 'fail');
  assert.match(missed.document.verdict.reasons.join('\n'), /sustained p50 .* 50 ms/);
  assert.match(readFileSync(join(missed.folder, 'junit.xml'), 'utf8'), /<failure/);

  // How many calls ten users make is known at the end: about two a second each, for a second.
  const few = await runTest('baseline', { ...common, DURATION: '13s', THRESHOLDS: 'light.p99_ms=10000' });
  assert.equal(few.code, 98, few.output);
  assert.equal(few.document.verdict.outcome, 'invalid');
  assert.match(few.document.verdict.reasons.join('\n'), /light p99 was not judged: \d+ samples, 100 needed/);

  const low = ['sustained', 'DURATION=2s', 'RATE_SCALE=0.1', 'THRESHOLDS=sustained.p99_ms=1000'];
  const refused = await command('scripts/run', [
    ...low,
    ...Object.entries(common).map(([name, value]) => `${name}=${value}`),
  ]);
  assert.equal(refused.code, 2, refused.output);
  assert.match(
    refused.output,
    /THRESHOLDS has sustained\.p99_ms=1000, which needs 100 samples, but sustained will have 34 .*; valid: DURATION=10s, or sustained\.p95_ms=1000/,
  );
});

test('what can not be loaded is exit code 3, what is misspelt 2, each one line before any load', async () => {
  const dead = await command('scripts/run', ['spike', `TARGET_URL=http://127.0.0.1:${await freePort()}/mcp`]);
  assert.equal(dead.code, 3, dead.output);
  assert.match(dead.output, /connection refused.*is the server running/);
  const misspelt = await command('make', ['--no-print-directory', 'spike', 'PROFILE=nope']);
  assert.equal(misspelt.code, 2);
  assert.match(misspelt.output, /PROFILE is "nope"; valid: smoke, quick, full/);
  assert.match(misspelt.output, /exit code 2/);
});

test('Ctrl-C typed under load: what was measured is reported, and nothing goes on', async () => {
  const spike = ['scripts/run', 'spike', 'PROFILE=smoke', 'RATE_SCALE=0.2', 'THRESHOLDS=off', 'DURATION=40s'];
  await isPartial(await interrupt(spike, { at: UNDER_LOAD, afterMs: 1500, typed: true }));
});

test('make up changes what is asked for and nothing else; make down ends all of it; make clean leaves nothing', async () => {
  const again = await command('make', ['up']);
  assert.equal(again.code, 0, again.output);
  assert.doesNotMatch(again.output, /restarting|starting/);
  assert.match((await type('make up POOL_SIZE=5')).output, /restarting the target/);
  assert.match(envFile('stack.env').TARGET_SETTINGS ?? '', /POOL_SIZE=5/);
  await type('make down');
  await everything.stop();
  await nothingIsLeft(`RUN_DIR=${RUN_DIR}`);
  assert.ok(existsSync(join(RUN_DIR, 'postgres')), 'the data stays');
  await type('make clean');
  assert.ok(!existsSync(RUN_DIR));
  assert.ok(existsSync(join(RESULTS_DIR, 'latest/report.html')), 'results stay');
});

test('every command of README was typed here', () => {
  assert.deepEqual(
    DOCUMENTED.filter((text) => !typed.has(text) && !Object.hasOwn(NOT_RUN, text)),
    [],
  );
});
