/** docker-compose.yml as Docker Compose reads it, and what the scripts refuse before they ask an engine. Nothing is started. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { trialsOf } from '../../cli/trials/trials.ts';
import { testNames } from '../../contract/tests.js';
import { variables } from '../../lib/config.js';
import { command, markRunDir } from '../lab.js';

const SECRETS = {
  LAB_POSTGRES_PASSWORD: 'secret-of-postgres',
  LAB_TARGET_DATABASE_PASSWORD: 'secret-of-database',
  LAB_REDIS_PASSWORD: 'secret-of-redis',
  LAB_GRAFANA_ADMIN_PASSWORD: 'secret-of-grafana',
  LAB_PROMETHEUS_PASSWORD: 'secret-of-prometheus',
  LAB_TARGET_TOKEN: 'secret-of-target',
};
/** As scripts/docker.sh names it, by the folder. */
const PROJECT = { COMPOSE_PROJECT_NAME: 'mcp-load-lab-1' };
/** Exact: three parts at least, or two for what is numbered that way; nothing that moves. */
const EXACT = /^[\w./-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)*$/;

const folder = mkdtempSync(join(tmpdir(), 'compose-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {Record<string, string>} [changes] of the variables that Compose reads */
const config = (changes) =>
  command('docker', ['compose', '--profile', '*', 'config', '--format', 'json'], {
    ...SECRETS,
    ...PROJECT,
    ...changes,
  });
const { code, output } = await config();
assert.equal(code, 0, output);
/** @type {[string, any][]} */
const services = Object.entries(JSON.parse(output).services);
const running = services.filter(([, { profiles }]) => !profiles);

test('all parts of the stack are services', () => {
  assert.deepEqual(running.map(([name]) => name).sort(), [
    ...['grafana', 'node-exporter', 'postgres', 'postgres-exporter', 'prometheus', 'redis', 'redis-exporter'],
    ...['target', 'target-namespace', 'target-network', 'upstream'],
  ]);
});

test('each test that can be run in a container has a profile of its name, and no other has', async () => {
  const names = testNames();
  const trials = await Promise.all(names.map((name) => trialsOf(name)));
  const tests = names.filter((_, index) => !trials[index]?.nativeOnly);
  assert.ok(tests.includes('spike') && !tests.includes('chaos'));
  assert.deepEqual(
    services
      .filter(([, { profiles }]) => profiles)
      .map(([name, { profiles }]) => [name, ...profiles])
      .sort(),
    [
      ...tests.map((name) => [name, name]),
      ['lab', 'lab'],
      ['lab-loopback', 'lab'],
      ['exporter', 'watch'],
      ['metrics-relay', 'watch'],
      ['program', 'watch'],
      ['metrics-relay-host', 'watch'],
    ].sort(),
  );
  for (const name of tests) {
    const { command: given, image, environment } = Object.fromEntries(services)[name];
    assert.deepEqual(given, ['scripts/run', name]);
    assert.match(image, /\/lab:/);
    assert.equal(environment.STACK, 'external');
  }
});

test('the tests in containers get every variable of a test that is not a secret, a file or the server', () => {
  const names = Object.keys(variables);
  const given = [
    'TARGET_URL',
    'TARGET_COMMAND',
    'TARGET_TOKEN',
    'TARGET_HEADERS',
    'OAUTH_CLIENT_SECRET',
    'TARGET_KEY_PASSWORD',
  ];
  const files = [
    'OAUTH_CLIENT_KEY',
    'SECRET_SOURCE',
    'TARGET_CERT',
    'TARGET_KEY',
    'TARGET_CA',
    'WORKLOAD',
    'PAYLOAD',
  ];
  const left = [...given, ...files];
  const { environment } = Object.fromEntries(services).spike;
  for (const name of names) assert.equal(name in environment, !left.includes(name), name);
});

test('what Compose puts in comes from compose.env: no variable of the caller’s has such a name', () => {
  const text = readFileSync('docker-compose.yml', 'utf8');
  const names = [...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = '']) => name);
  assert.ok(names.length > 20);
  for (const name of names) assert.match(name, /^(LAB_[A-Z_]+|COMPOSE_PROJECT_NAME)$/);
});

test('a missing secret is an error, not a default', async () => {
  for (const name of Object.keys(SECRETS)) {
    const without = await config({ [name]: '' });
    assert.notEqual(without.code, 0);
    assert.match(without.output, new RegExp(`required variable ${name} is missing`));
  }
});

test('no secret is in an image, a command or a label', () => {
  for (const [name, { environment: _, ...rest }] of services) {
    assert.ok(!JSON.stringify(rest).includes('secret-of-'), name);
  }
});

test('an unknown server reaches no part of the stack', () => {
  const { networks } = Object.fromEntries(services).program;
  assert.deepEqual(Object.keys(networks), ['program']);
  for (const [name, service] of services)
    if (name !== 'program') assert.ok(!('program' in (service.networks ?? {})), name);
});

test('every port is published on loopback alone', () => {
  const published = services.flatMap(([name, { ports = [] }]) =>
    ports.map((/** @type {any} */ port) => ({ name, ...port })),
  );
  assert.ok(published.length >= 6);
  for (const { name, host_ip } of published) assert.equal(host_ip, '127.0.0.1', name);
  // For a server on this host's loopback address. They listen on loopback (k6's API), or on a Unix socket.
  const onHost = services.filter(([, { network_mode }]) => network_mode === 'host').map(([name]) => name);
  assert.deepEqual(onHost.sort(), ['lab-loopback', 'metrics-relay-host']);
});

test('every image is pinned to an exact version, in the Dockerfile too', () => {
  for (const [name, { image, pull_policy }] of services) {
    if (!image.startsWith('localhost/')) assert.match(image, EXACT, name);
    else {
      // Nobody can publish an image of that name, and each folder has its own.
      assert.match(image, /^localhost\/mcp-load-lab\/(lab|target|exporter|program):mcp-load-lab-1$/, name);
      assert.equal(pull_policy, 'never', name);
    }
  }
  const stages = new Set();
  for (const [, from = '', stage] of readFileSync('Dockerfile', 'utf8').matchAll(
    /^FROM (\S+)(?: AS (\S+))?/gm,
  )) {
    // The program's is what somebody names.
    if (!stages.has(from) && stage !== 'program') assert.match(from, EXACT);
    stages.add(stage);
  }
});

test('the Go of the Dockerfile is new enough for each module that it builds', () => {
  const [, go = ''] = /^FROM golang:([\d.]+)-/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  for (const module of ['xk6-mcp', 'exporter']) {
    const [, needed = ''] = /^go ([\d.]+)$/m.exec(readFileSync(`${module}/go.mod`, 'utf8')) ?? [];
    assert.ok(needed, module);
    // The golang images take no other Go than their own (GOTOOLCHAIN=local).
    assert.ok(go.localeCompare(needed, 'en', { numeric: true }) >= 0, `${module}: ${needed}, not ${go}`);
  }
});

test('whatever keeps running has a health check, a memory limit, and no more rights than it needs', () => {
  for (const [name, service] of services) {
    // What somebody else's server takes is measured, and its image says who it is.
    if (name !== 'program') {
      assert.ok(service.mem_limit, name);
      assert.equal(service.read_only, true, name);
      assert.match(service.user ?? '', /^(postgres|redis|node|[1-9]\d*:\d+)$/, name);
    }
    assert.ok(service.pids_limit > 0, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
    assert.ok(service.security_opt.includes('no-new-privileges:true'), name);
    assert.ok(!service.privileged, name);
  }
  for (const [name, { healthcheck }] of running) assert.ok(healthcheck?.test?.length, name);
});

test('what writes has a place for it, and nowhere else', () => {
  const places = Object.fromEntries(
    services.map(([name, { tmpfs = [], volumes = [] }]) => [
      name,
      [
        ...tmpfs,
        ...volumes
          .filter((/** @type {any} */ { read_only }) => !read_only)
          .map((/** @type {any} */ { target }) => target),
      ].sort(),
    ]),
  );
  const tests = ['/claims', '/results', '/targets', '/tmp'];
  assert.deepEqual(Object.fromEntries(Object.entries(places).filter(([, all]) => `${all}` !== `${tests}`)), {
    grafana: ['/tmp', '/var/lib/grafana'],
    'metrics-relay': [],
    'metrics-relay-host': ['/relay'],
    'node-exporter': [],
    postgres: ['/run/postgresql', '/tmp', '/var/lib/postgresql'],
    'postgres-exporter': [],
    prometheus: ['/prometheus'],
    redis: ['/data'],
    'redis-exporter': [],
    exporter: [],
    program: ['/programs'],
    target: ['/tmp'],
    'target-namespace': [],
    'target-network': [],
    upstream: ['/tmp'],
  });
});

/**
 * @param {string} script
 * @param {Record<string, string>} env
 */
const refused = (script, env) => command(`scripts/${script}`, [], { RUN_DIR: join(folder, 'none'), ...env });

test('settings are words, and TARGET_FAULTS is a JSON object of numbers: all else is refused', async () => {
  for (const [name, text] of [
    ['TARGET_FAULTS', '{"$(id)":1}'],
    ['TARGET_FAULTS', 'cache_off'],
    ['WORKERS', '{4}'],
    ['POOL_SIZE', "1'2"],
  ]) {
    const { code, output } = await refused('up', { STACK: 'docker', [String(name)]: String(text) });
    assert.equal(code, 2, output);
    assert.match(output, new RegExp(`^error: ${name} is ".*"; valid: a .*$`, 'm'));
  }
});

test('paths that Compose can’t mount are refused', async () => {
  const { code, output } = await refused('up', { STACK: 'docker', RESULTS_DIR: join(folder, 'a:b') });
  assert.equal(code, 2, output);
  assert.match(output, /^error: RESULTS_DIR is ".*a:b"; valid: a path without .*$/m);
});

test('make clean where Docker, which has the data, does not answer: exit 1, and nothing is removed', async () => {
  const RUN_DIR = join(folder, 'in-docker');
  markRunDir(RUN_DIR);
  writeFileSync(join(RUN_DIR, 'compose.env'), 'COMPOSE_PROJECT_NAME=mcp-load-lab-1\n');
  const { code, output } = await command('scripts/clean', [], {
    RUN_DIR,
    DOCKER_HOST: `unix://${join(folder, 'none')}`,
  });
  assert.equal(code, 1, output);
  assert.match(output, /^error: Docker does not respond, so the stack's data of .*compose\.env/m);
  assert.ok(existsSync(join(RUN_DIR, 'compose.env')));
});

test('an unknown STACK is refused', async () => {
  const { code, output } = await refused('status', { STACK: 'podman' });
  assert.equal(code, 2, output);
  assert.match(output, /^error: STACK is "podman"; valid: native, docker, external$/m);
});
