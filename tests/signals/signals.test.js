/**
 * The signal rules for other servers, on real ones: libraries in a known state, scraped by a real Prometheus as TARGET_METRICS has
 * it done. What takes a JVM or a container is played back as it was recorded (recorded/record.js).
 */
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Prometheus } from '../../analysis/collect/prometheus.ts';
import { describeSignals } from '../../cli/commands/signals.ts';
import { scrapeGroups } from '../../cli/run/scrape-groups.ts';
import { startServer } from '../../cli/trials/server-process.ts';
import { freePort } from '../lab.js';
import { Services } from '../target/services.js';
import { setUp, toolPath } from '../tool.js';
import { replay, startWatching } from './watch.js';

setUp('node-servers');

const services = new Services();
/** @type {import('./watch.js').Watch} */
let watch;
/** @type {Record<string, string>} what is watched -> the label `server` */
const servers = {};
/** @type {{stop: () => Promise<unknown>}[]} */
const started = [];

/** @param {string} name @param {Parameters<typeof startServer>[1]} how @param {string[]} [also] more addresses with metrics */
async function start(name, how, also = []) {
  started.push(await startServer(name, how));
  servers[name] = await watch.scrape(name, [how.url, ...also]);
}

before(async () => {
  [watch] = await Promise.all([startWatching(), services.start()]);
  const [python, go, node, otel] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const at = (/** @type {number} */ port) => `http://127.0.0.1:${port}/metrics`;
  await Promise.all([
    start('python', {
      file: toolPath('python-servers'),
      args: ['tests/servers/python/watched.py', String(python), services.databaseUrl],
      url: at(python),
    }),
    start('go', {
      file: join(dirname(toolPath('go-server')), 'watched'),
      args: [`-listen=127.0.0.1:${go}`, `-database=${services.databaseUrl}`],
      url: at(go),
    }),
    start(
      'node',
      {
        file: process.execPath,
        args: ['tests/servers/node/watched.js', String(node), String(otel), services.redisUrl],
        url: at(node),
        ready: at(otel),
      },
      [at(otel)],
    ),
    ...['hikaricp-micrometer', 'hikaricp-simpleclient', 'cadvisor'].map(async (name) => {
      const recording = await replay(`tests/signals/recorded/${name}.txt`);
      started.push(recording);
      const container = name === 'cadvisor' ? '#/mcp-load-lab-recorded' : '';
      servers[name] = await watch.scrape(name, [`${recording.url}${container}`]);
    }),
  ]);
});

after(async () => {
  await Promise.all(started.map((one) => one.stop()));
  await watch?.stop();
  await services.stop();
});

/** A range that a value has to be in, or the value. */
/** @typedef {number | [least: number, most: number]} Expected */

/** @param {Record<string, number>} values @param {Record<string, Expected>} expected */
function assertValues(values, expected) {
  for (const [name, value] of Object.entries(expected)) {
    const [least, most] = typeof value === 'number' ? [value - 1e-9, value + 1e-9] : value;
    const got = values[name] ?? Number.NaN;
    assert.ok(got >= least && got <= most, `${name} is ${got}, not ${value}; all: ${JSON.stringify(values)}`);
  }
}

const MIB = 2 ** 20;

/** @type {Record<string, Record<string, Expected>>} */
const EXPECTED = {
  python: {
    'process cpu:ratio': [0.001, 1],
    'process memory:bytes': [20 * MIB, 1000 * MIB],
    'process open_files:ratio': [1e-7, 0.5],
    'process workers:count': 1,
    'sqlalchemy pool_utilization:ratio': 0.5,
    'asyncpg pool_utilization:ratio': 0.25,
    // The fourth connection is given from one who waits to the next, and may be seen on its way.
    'psycopg pool_utilization:ratio': [0.75, 1],
    'psycopg pool_waiting:count': [2, 4],
    'psycopg pool_wait:seconds': [0.1, 0.6],
    'otel-mcp request:seconds': [0.0199, 0.0201],
    // A busy machine records less often than five times a second.
    'otel-mcp tool_errors:rate': [2, 5.5],
  },
  go: {
    'process cpu:ratio': [0, 1],
    'process memory:bytes': [5 * MIB, 500 * MIB],
    'process open_files:ratio': [1e-7, 0.5],
    'process gc:ratio': [0, 0.5],
    'pgx pool_utilization:ratio': [0.75, 1],
    'pgx pool_wait:seconds': [0.1, 0.6],
  },
  node: {
    'process cpu:ratio': [0.01, 1],
    'process worker_cpu:ratio': [0.02, 1.2],
    'process memory:bytes': [20 * MIB, 1000 * MIB],
    'process open_files:ratio': [1e-7, 0.5],
    // It blocks itself for 30 ms, and a machine that has more to do makes that longer.
    'process eventloop_lag:seconds': [0.025, 2],
    'process gc:ratio': [0, 0.5],
    'node-redis cache_hit:ratio': [0.75, 0.95],
    'node-redis upstream:seconds': [1e-5, 0.5],
  },
  'hikaricp-micrometer': {
    'hikaricp pool_utilization:ratio': 1,
    'hikaricp pool_waiting:count': 3,
    'jvm memory:bytes': [20 * MIB, 4000 * MIB],
    'jvm cpu:ratio': [0, 1],
    'jvm open_files:ratio': [1e-4, 0.5],
    'jvm gc:ratio': [0, 0.5],
  },
  'hikaricp-simpleclient': {
    'hikaricp pool_utilization:ratio': 1,
    'hikaricp pool_waiting:count': 3,
    'process memory:bytes': [20 * MIB, 4000 * MIB],
    'process open_files:ratio': [1e-4, 0.5],
    'process gc:ratio': [0, 0.5],
  },
  cadvisor: {
    // A twentieth of a core of two; what was recorded in two seconds is played in somewhat more where the machine is busy.
    'cadvisor cpu:ratio': [0.015, 0.03],
    'cadvisor memory:bytes': [15 * MIB, 100 * MIB],
    'cadvisor cpu_throttled:ratio': [0.5, 1],
  },
};

/** Between its scrapes a recording stands still from its end on; these are looked at while it plays. */
const PLAYED = ['cadvisor'];

for (const name of [...PLAYED, ...Object.keys(EXPECTED).filter((one) => !PLAYED.includes(one))]) {
  test(`${name}: the signals are what the server's state is`, async () => {
    const expected = EXPECTED[name] ?? {};
    // On a busy machine the last scrape of what was recorded may still be to come.
    for (let tries = PLAYED.includes(name) ? 1 : 20; ; tries -= 1) {
      const values = await watch.signals(servers[name] ?? '', Object.keys(expected));
      try {
        return assertValues(values, expected);
      } catch (error) {
        if (tries <= 1) throw error;
        await sleep(500);
      }
    }
  });
}

test('`make signals` says which signals there are, from what, and what would give the others', async () => {
  const output = await describeSignals(new Prometheus(watch.url), servers.python ?? '', 'text');
  // Of three pools the first in the order of sources; the others are named next to it.
  assert.match(
    output,
    /^ *pool_utilization +(75|100) % +psycopg \(signals-psycopg\.yml\): psycopg_pool_pool_.*; also asyncpg, sqlalchemy$/m,
  );
  assert.match(output, /^ *memory +\d+(\.\d)? MiB +process/m);
  assert.match(
    output,
    /^ *eventloop_lag +process \(signals-process\.yml\): nodejs_eventloop_lag_p99_seconds$/m,
  );
});

test('addresses that can not be scraped are each one clear line', async () => {
  const recording = await replay('tests/signals/recorded/cadvisor.txt');
  /** @type {[string, RegExp][]} */
  const wrong = [
    ['http://user:secret@127.0.0.1:9/metrics', /^TARGET_METRICS contains a user name or password/],
    [`http://127.0.0.1:${await freePort()}/metrics`, /cannot be reached \(ECONNREFUSED\)/],
    [`${watch.url}/-/ready`, /has no metrics in Prometheus' text format/],
    [`${watch.url}/nothing?key=secret`, /\/nothing answers 404/],
    ['ftp://127.0.0.1/metrics', /TARGET_METRICS has "ftp:.*; valid: host:port\/path or an http\(s\) URL/],
    [
      recording.url,
      /returns metrics of all containers, but no container is selected; valid: .*\/mcp-load-lab-recorded/,
    ],
    [`${recording.url}#nothing`, /knows no container "nothing"; valid: .*\/mcp-load-lab-recorded/],
  ];
  for (const [address, message] of wrong) {
    await assert.rejects(scrapeGroups([address]), (/** @type {Error} */ { message: said }) => {
      assert.match(said, message);
      assert.doesNotMatch(said, /\n|secret/);
      return true;
    });
  }
  await recording.stop();
});
