/** A server in a container of somebody's own: TARGET_CONTAINER has it watched, and leaves it as it was. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import client from 'prom-client';
import { assertJudged, Clone } from './clone.js';
import { docker, inspect } from './docker.js';

const EVERYTHING = join(process.cwd(), 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const NAME = `somebody-elses-${process.pid}`;
const PORT = 3001;
/** @type {Clone} */
let clone;
before(async () => {
  clone = new Clone({ shell: 'dash' });
  const up = await clone.make('up');
  assert.equal(up.code, 0, up.output);
  docker(
    ...[
      'run',
      '--detach',
      '--name',
      NAME,
      '--user',
      '1000',
      '--memory',
      '512m',
      '--cpus',
      '0.5',
      '--env',
      `PORT=${PORT}`,
    ],
    ...['--volume', `${join(process.cwd(), 'node_modules')}:/node_modules:ro`, clone.service('target').Image],
    ...['node', '/node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'streamableHttp'],
  );
});
after(async () => {
  await clone.remove();
  docker('rm', '--force', NAME);
});

const networks = () => Object.keys(inspect(NAME)[0].NetworkSettings.Networks);

test('its processes, limits and connections are signals', async () => {
  const run = await clone.run('sustained', {
    PROFILE: 'quick',
    DURATION: '20s',
    RATE_SCALE: '0.02',
    THRESHOLDS: 'off',
    TARGET_URL: `http://${NAME}:${PORT}/mcp`,
    TARGET_CONTAINER: NAME,
    TOOL: 'echo',
    ARGS: '{"message":"hi"}',
  });
  assertJudged(run);
  /** @param {string} name */
  const signal = (name) => run.document.signals.find((/** @type {any} */ one) => one.signal === name);
  for (const name of [
    'cpu',
    'busiest_thread',
    'memory',
    'memory_utilization',
    'cpu_throttled',
    'threads',
    'open_files',
  ])
    assert.ok(signal(name)?.samples > 0, `${name}: ${run.output}`);
  // Of all processes: an init, a shell or none, and Node.
  assert.ok(signal('workers').max <= 2, `${signal('workers').max} processes`);
  assert.ok(signal('connections_in').max > 0);
  const shareOfLimit = signal('memory_utilization').max;
  assert.ok(shareOfLimit > 0.02 && shareOfLimit < 1, `${shareOfLimit} of 512 MiB`);
});

test("a server on this host's loopback: TARGET_METRICS works there as TARGET_URL does", async () => {
  const metrics = createServer(async (_, answer) => answer.end(await client.register.metrics()));
  client.collectDefaultMetrics();
  await new Promise((resolve) => metrics.listen(0, '127.0.0.1', () => resolve(null)));
  const port = /** @type {import('node:net').AddressInfo} */ (metrics.address()).port;
  const env = { ...process.env, PORT: String(port + 1) };
  const everything = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], { env, stdio: 'ignore' });
  try {
    const run = await clone.run('sustained', {
      ...{ PROFILE: 'quick', DURATION: '12s', RATE_SCALE: '0.01', THRESHOLDS: 'off' },
      ...{ TARGET_URL: `http://127.0.0.1:${port + 1}/mcp`, TOOL: 'echo', ARGS: '{"message":"hi"}' },
      TARGET_METRICS: `127.0.0.1:${port}/metrics`,
    });
    assertJudged(run);
    /** @param {any} one */
    const isLag = (one) => one.signal === 'eventloop_lag';
    assert.ok(run.document.signals.find(isLag)?.samples > 0, run.output);
    const asked = await clone.make('signals', { TARGET_METRICS: `127.0.0.1:${port}/metrics` });
    assert.equal(asked.code, 0, asked.output);
    assert.match(asked.output, /^ *eventloop_lag .*nodejs_eventloop_lag_p99_seconds/m);
  } finally {
    everything.kill();
    metrics.close();
  }
});

test('make down leaves it as it was', async () => {
  assert.equal(networks().length, 2);
  const down = await clone.make('down');
  assert.equal(down.code, 0, down.output);
  assert.deepEqual(networks(), ['bridge']);
  assert.ok(inspect(NAME)[0].State.Running);
});

test('a name that no container has, and the native stack: one line, exit 2, and no load', async () => {
  const variables = { TARGET_URL: `http://${NAME}:${PORT}/mcp`, TARGET_CONTAINER: 'nobody-has-it' };
  const run = await clone.run('load', variables);
  assert.equal(run.code, 2, run.output);
  assert.match(
    run.output,
    /^error: TARGET_CONTAINER is "nobody-has-it"; valid: the name of a running container$/m,
  );
  assert.equal(run.document, null);
});
