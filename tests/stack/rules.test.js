/** The configuration of Prometheus, the signal rules and the alerts, checked and unit-tested by Prometheus' own promtool. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { stringify } from 'yaml';
import { GENERATOR_CPU_LIMIT } from '../../analysis/findings/trust-rules.ts';
import { dashboards } from '../../dashboards/build.ts';
import { builtIn, substitute } from '../grafana.js';
import { command } from '../lab.js';
import { provideConfig } from '../prometheus-config.js';
import { toolPath } from '../tool.js';
import { queriesOf } from './panel-queries.js';

const PROVISIONING = 'provisioning/prometheus';
const UNITS = ['ratio', 'bytes', 'count', 'seconds', 'rate', 'bytes_rate'];
/** What dashboards and reports build upon. */
const SIGNALS = [
  ...['cpu:ratio', 'worker_cpu:ratio', 'memory:bytes', 'eventloop_lag:seconds', 'gc:ratio', 'sessions:count'],
  ...['pool_utilization:ratio', 'pool_waiting:count', 'pool_wait:seconds', 'cache_hit:ratio'],
  ...['upstream:seconds', 'rate_limited:rate', 'breaker_open:rate', 'deadlocks:rate'],
  ...['upstream_timeouts:rate', 'tool_errors:rate', 'workers:count'],
  ...['db_connections:ratio', 'db_locks:count', 'db_transactions:rate'],
  ...['host_cpu:ratio', 'host_memory:ratio', 'network:bytes_rate', 'disk_io:bytes_rate'],
  ...['redis_memory:bytes', 'redis_evictions:rate'],
  ...['generator_cpu:ratio', 'generator_memory:bytes'],
  ...[
    'heap:ratio',
    'open_files_count:count',
    'db_query_duration:seconds',
    'db_query_rate:rate',
    'pool_connections_in_use:count',
  ],
  ...['cache_lookups:rate', 'cache_time:seconds', 'upstream_calls:rate'],
  ...['db_clients:count', 'db_running:count', 'db_io:count', 'cache_server_cpu:ratio'],
  ...['disk_busy:ratio', 'cpu_steal:ratio', 'cpu_pressure:ratio', 'tcp_retransmits:rate'],
  ...['busiest_thread:ratio', 'cpu_wait:ratio', 'connections_in:count', 'connections_unread:count'],
  ...['send_queue:bytes', 'accept_queue:ratio', 'listen_overflows:rate', 'threads:count', 'restarts:count'],
  ...['major_faults:rate', 'server_disk_io:bytes_rate', 'memory_utilization:ratio', 'oom_kills:count'],
  ...['db_clients_waiting:ratio', 'busiest_thread_cpu:ratio', 'busiest_process:ratio', 'peer_cpu:ratio'],
  ...['request:seconds', 'open_files:ratio', 'cpu_throttled:ratio', 'container_network:bytes_rate'],
].map((name) => `signal:${name}`);

const PACKAGED = '/usr/bin/promtool';
/** Of the pinned Prometheus, and of the package: Debian 12's Prometheus 2.42 is the oldest that the files work with. */
const PROMTOOLS = [
  { of: 'the pinned Prometheus', promtool: toolPath('promtool'), skip: false },
  {
    of: "the package's Prometheus",
    promtool: PACKAGED,
    skip: !existsSync(PACKAGED) && `no ${PACKAGED}: on Debian it is part of the package prometheus`,
  },
];
const folder = mkdtempSync(join(tmpdir(), 'rules-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} promtool @param {string[]} args */
async function succeeds(promtool, args) {
  const { code, output } = await command(promtool, args);
  assert.equal(code, 0, output);
  return output;
}

/** @param {string} path */
const inFolder = (path) => readdirSync(path).map((name) => join(path, name));
const read = (/** @type {string[]} */ files) => files.map((file) => readFileSync(file, 'utf8')).join('\n');

/** promtool 2.42 can't write native histograms into a test's series. @param {string} promtool */
const unitTests = (promtool) =>
  inFolder(join(PROVISIONING, 'tests')).filter(
    (file) => promtool !== PACKAGED || !readFileSync(file, 'utf8').includes('{{schema:'),
  );

/** The layout of Prometheus' folder in a container. */
for (const name of ['rules', 'targets']) {
  const source = name === 'targets' ? 'targets-docker' : name;
  symlinkSync(join(process.cwd(), PROVISIONING, source), join(folder, name));
}
for (const who of ['prometheus', 'exporters']) writeFileSync(join(folder, `${who}.password`), 'secret');

for (const { of, promtool, skip } of PROMTOOLS) {
  test(`${of}: the configuration is valid, with the rules and the Docker targets`, { skip }, async () => {
    const config = join(folder, 'prometheus.yml');
    provideConfig('promtool', promtool, config);
    const output = await succeeds(promtool, ['check', 'config', config]);
    for (const rules of readdirSync(join(PROVISIONING, 'rules'))) assert.match(output, new RegExp(rules));
  });

  test(`${of}: the rules are valid, and the linter finds nothing`, { skip }, async () => {
    const rules = inFolder(join(PROVISIONING, 'rules'));
    await succeeds(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', ...rules]);
  });

  test(`${of}: the rules do what their unit tests say`, { skip }, async () => {
    await succeeds(promtool, ['test', 'rules', ...unitTests(promtool)]);
  });

  test(`${of}: every query of the dashboards is valid`, { skip }, async () => {
    const values = {
      ...builtIn({ fromS: 1_700_000_000, toS: 1_700_000_900 }, 2),
      ...Object.fromEntries(
        ['testid', 'server', 'base', 'operation', 'baseline'].map((name) => [name, name]),
      ),
      shift: '3600',
    };
    const queries = dashboards.flatMap((build) => queriesOf(build()));
    const rules = queries.map(({ expr }, i) => ({ record: `query:${i}`, expr: substitute(expr, values) }));
    const file = join(folder, 'queries.yml');
    writeFileSync(file, stringify({ groups: [{ name: 'queries', rules }] }));
    await succeeds(promtool, ['check', 'rules', '--lint=none', file]);
  });
}

test('every alert, and what it stands on, is unit-tested', () => {
  const tests = read(inFolder(join(PROVISIONING, 'tests')).filter((path) => path.includes('alerts')));
  const rules = readFileSync(join(PROVISIONING, 'rules/alerts.yml'), 'utf8');
  const named = (/** @type {string} */ key) =>
    [...rules.matchAll(new RegExp(`- ${key}: (\\S+)`, 'g'))].map(([, name = '']) => name);
  assert.equal(named('alert').length, 11);
  for (const name of named('alert'))
    assert.ok(tests.includes(`ALERTS{alertname="${name}",alertstate="firing"`), name);
  for (const record of named('record')) assert.ok(tests.includes(`labels: '${record}`), record);
});

test("the generator is called saturated by an alert where the verdict calls it so, and an alert's dashboard exists", () => {
  const rules = readFileSync(join(PROVISIONING, 'rules/alerts.yml'), 'utf8');
  const [, limit] = /avg_over_time\(signal:generator_cpu:ratio\[30s\]\)\s*\) > ([\d.]+)/.exec(rules) ?? [];
  assert.equal(Number(limit), GENERATOR_CPU_LIMIT);
  const uids = readdirSync('provisioning/grafana/dashboards').map((file) => file.replace('.json', ''));
  for (const [, uid = ''] of rules.matchAll(/dashboard: \/d\/([\w-]+)/g)) assert.ok(uids.includes(uid), uid);
});

test('every signal is recorded, once for each kind of server, has a unit in its name, and is unit-tested', () => {
  const tests = read(inFolder(join(PROVISIONING, 'tests')));
  const signals = new Set();
  for (const file of inFolder(join(PROVISIONING, 'rules')).filter((path) => path.includes('signals-'))) {
    // Other names are steps on the way to one of these.
    const recorded = [...readFileSync(file, 'utf8').matchAll(/record: (signal:\S+)/g)].map(
      ([, name = '']) => name,
    );
    assert.deepEqual(recorded, [...new Set(recorded)], file);
    for (const name of recorded) {
      signals.add(name);
      assert.match(name, new RegExp(`^signal:[a-z0-9_]+:(${UNITS.join('|')})$`));
      assert.ok(tests.includes(`labels: '${name}`), `no test expects a sample of ${name}`);
    }
  }
  assert.deepEqual([...signals].sort(), [...SIGNALS].sort());
});
