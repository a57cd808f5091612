/** TARGET_METRICS in a run: the signals are that server's, and nothing of it is left. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Prometheus } from '../../analysis/collect/prometheus.ts';
import { prometheusHeaders } from '../../analysis/collect/prometheus-headers.ts';
import { assertMeasured, command, envFile, prometheusAccess, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { startGo } from '../servers/go.js';

await ownStack();

const PROBLEM = /^error: TARGET_METRICS: http:\/\/127\.0\.0\.1:\d+\/mcp .*valid: .*\n$/;
const stack = envFile('stack.env');
/** Any process with prom-client's metrics will do: what is loaded is another. */
const address = (stack.TARGET_METRICS_URL ?? '').replace('http://', '');
const server = address.replace(/\/.*/, '');
const scraped = () =>
  readdirSync(stack.PROMETHEUS_TARGETS_DIR ?? '').filter((name) => name.startsWith('custom-'));

test('the signals of a run are those of TARGET_METRICS, and the scrape ends with it', async () => {
  const subject = await startGo();
  /** @type {string[]} */
  let meanwhile = [];
  try {
    const run = await runTest(
      'spike',
      {
        PROFILE: 'smoke',
        DURATION: '12s',
        RATE_SCALE: '0.1',
        THRESHOLDS: 'off',
        TARGET_URL: subject.url,
        TARGET_METRICS: address,
      },
      async () => {
        meanwhile = scraped();
      },
    );
    assertMeasured(run);
    assert.equal(meanwhile.length, 1);
    assert.deepEqual(scraped(), []);
    const signals = new Set(run.document.signals.map((/** @type {any} */ { signal }) => signal));
    for (const name of ['cpu', 'memory', 'eventloop_lag', 'open_files', 'host_cpu'])
      assert.ok(signals.has(name), name);
    // Of the same process, but by rules that are for the reference target.
    for (const name of ['pool_utilization', 'db_connections']) assert.ok(!signals.has(name), name);
  } finally {
    await subject.stop();
  }
});

test('`make signals` of a server without a run, and of the reference target', async () => {
  const own = await command('scripts/signals', [`TARGET_METRICS=${address}`], { FORMAT: 'json' });
  assert.equal(own.code, 0, own.output);
  assert.match(own.output, new RegExp(`scraping ${server} `));
  const states = JSON.parse(own.output.slice(own.output.indexOf('[')));
  const memory = states.find((/** @type {any} */ { signal }) => signal === 'memory');
  assert.ok(memory.value > 2 ** 20);
  assert.deepEqual(
    memory.from.map((/** @type {any} */ { source }) => source),
    ['process'],
  );
  assert.deepEqual(scraped(), []);
  const reference = await command('scripts/signals', []);
  assert.equal(reference.code, 0, reference.output);
  assert.match(
    reference.output,
    /^ *memory .* reference \(signals-target\.yml\): process_resident_memory_bytes$/m,
  );
});

test('an address that can not be scraped is one line and exit code 2, before any load', async () => {
  const subject = await startGo();
  try {
    const { code, output } = await command('scripts/run', [
      'spike',
      ...[`TARGET_URL=${subject.url}`, `TARGET_METRICS=${subject.url}`],
    ]);
    assert.equal(code, 2, output);
    assert.match(output, PROBLEM);
  } finally {
    await subject.stop();
  }
});

test("names that are k6's, the rules' or the analysis' are not taken from a server", async () => {
  const forged = ['signal:pool_utilization:ratio{server="reference"}', 'k6_forged', 'mcp_verdict'];
  const hostile = createServer((_, answer) => {
    answer.end([...forged, 'process_resident_memory_bytes'].map((name) => `${name} 1\n`).join(''));
  });
  await new Promise((resolve) => hostile.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (hostile.address());
  const { code, output } = await command('scripts/signals', [`TARGET_METRICS=127.0.0.1:${port}/metrics`]);
  hostile.close();
  assert.equal(code, 0, output);
  const headers = prometheusHeaders({ ...process.env, ...prometheusAccess() });
  const prometheus = new Prometheus(stack.PROMETHEUS_URL ?? '', { headers });
  const query = `count by (__name__) (last_over_time({job="custom", instance="127.0.0.1:${port}"}[5m]))`;
  const names = (await prometheus.query(query, Date.now() / 1000)).map(({ labels }) => labels.__name__);
  assert.ok(names.includes('process_resident_memory_bytes'), `${names}`);
  for (const name of forged) assert.ok(!names.includes(name.replace(/\{.*/, '')), name);
});
