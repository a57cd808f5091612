/**
 * How Grafana is started, natively: on loopback, with anonymous viewing and a password that was made for this
 * stack alone. There is no Grafana here: natively, one is played by a script that says what it was given.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { command } from '../lab.js';

const folder = mkdtempSync(join(tmpdir(), 'grafana-'));
after(() => rmSync(folder, { recursive: true }));
const RUN_DIR = join(folder, 'run');
const secrets = join(RUN_DIR, 'secrets.env');
for (const name of [join(RUN_DIR, 'pids'), join(folder, 'bin'), join(folder, 'conf')])
  mkdirSync(name, { recursive: true });
writeFileSync(
  join(RUN_DIR, 'stack.env'),
  'STACK=native\nGRAFANA_PORT=3007\nGRAFANA_URL=http://127.0.0.1:3007\nPROMETHEUS_URL=http://127.0.0.1:9097\n',
);
writeFileSync(join(folder, 'bin/grafana'), '#!/bin/sh\necho "arguments $*"\nexec env\n', { mode: 0o755 });

/** @param {string} script after common.sh @param {Record<string, string>} [env] */
const bash = (script, env = {}) =>
  command('bash', ['-c', `. scripts/common.sh; ${script}`], { RUN_DIR, TESTID: '', ...env });

test('the password is made once, is long, and is for its owner alone', async () => {
  await bash('make_secrets');
  const first = readFileSync(secrets, 'utf8');
  await bash('make_secrets');
  assert.equal(readFileSync(secrets, 'utf8'), first);
  assert.match(first, /^GRAFANA_ADMIN_PASSWORD=[0-9a-f]{48}$/m);
  assert.equal(statSync(secrets).mode & 0o777, 0o600);
});

const password = async () => (await bash('secret GRAFANA_ADMIN_PASSWORD')).output.trim();

test('a stack of an older version gets the secret that it lacks, and keeps the others', async () => {
  const before = readFileSync(secrets, 'utf8');
  const older = before.replace(/^PROMETHEUS_PASSWORD=.*\n/m, '');
  assert.notEqual(older, before);
  writeFileSync(secrets, older);
  await bash('make_secrets');
  const now = readFileSync(secrets, 'utf8');
  assert.ok(now.startsWith(older));
  assert.match(now.slice(older.length), /^PROMETHEUS_PASSWORD=[0-9a-f]{48}\n$/);
  assert.equal(statSync(secrets).mode & 0o777, 0o600);
});

test('natively, it listens on loopback and is provisioned from the project', async () => {
  const { code, output } = await command('scripts/component', ['grafana'], {
    RUN_DIR,
    PATH: `${folder}/bin:${process.env.PATH}`,
  });
  assert.equal(code, 0, output);
  const env = Object.fromEntries(
    [...output.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  const provisioning = join(process.cwd(), 'provisioning/grafana');
  assert.match(output, new RegExp(`^arguments server --homepath ${folder}$`, 'm'));
  assert.deepEqual(
    [env.GF_SERVER_HTTP_ADDR, env.GF_SERVER_HTTP_PORT, env.GF_PATHS_PROVISIONING, env.PROMETHEUS_URL],
    ['127.0.0.1', '3007', provisioning, 'http://127.0.0.1:9097'],
  );
  assert.equal(env.GF_SECURITY_ADMIN_PASSWORD, await password());
  assert.equal(env.PROMETHEUS_PASSWORD, (await bash('secret PROMETHEUS_PASSWORD')).output.trim());
  assert.deepEqual([env.GF_SERVER_DOMAIN, env.GF_SERVER_ENFORCE_DOMAIN], ['127.0.0.1', 'true']);
  assert.deepEqual([env.GF_AUTH_ANONYMOUS_ENABLED, env.GF_AUTH_ANONYMOUS_ORG_ROLE], ['true', 'Viewer']);
  assert.equal(
    JSON.parse(readFileSync(env.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? '', 'utf8')).uid,
    'mcp-overview',
  );
});

test('`make up` shows the password on a terminal, and nowhere that is kept', async () => {
  const log = join(folder, 'run.log');
  const script = '. scripts/common.sh; grafana_login';
  const onTerminal = (/** @type {Record<string, string>} */ env) =>
    command('python3', ['-c', 'import pty, sys; pty.spawn(["bash", "-c", sys.argv[1]])', script], {
      RUN_DIR,
      TESTID: '',
      RUN_LOG: log,
      ...env,
    });
  const { output } = await onTerminal({});
  assert.equal(output.trim(), `Grafana: http://127.0.0.1:3007  user admin  password ${await password()}`);
  // A test that brings up its stack; a pipe; a stack without Grafana.
  assert.equal((await onTerminal({ TESTID: 'spike-1' })).output, '');
  assert.equal((await bash('grafana_login', { RUN_LOG: log })).output, '');
  writeFileSync(join(RUN_DIR, 'stack.env'), 'STACK=native\n');
  assert.equal((await onTerminal({})).output, '');
  assert.throws(() => readFileSync(log));
  assert.match(readFileSync('scripts/commands/up', 'utf8'), /^grafana_login$/m);
});

test('`make status` names the file', async () => {
  const { output } = await bash('status_line grafana up');
  assert.ok(output.includes(`GRAFANA_ADMIN_PASSWORD in ${secrets}`));
  assert.ok(!output.includes(await password()));
});
