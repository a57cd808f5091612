/** Who may ask Prometheus, and who asks. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { compareSync } from 'bcryptjs';
import { parse } from 'yaml';
import { prometheusHeaders } from '../../../analysis/collect/prometheus-headers.ts';

/** @param {string} password */
const made = (password) =>
  spawnSync('node', ['scripts/web-config.ts'], {
    encoding: 'utf8',
    env: { ...process.env, PASSWORD: password },
  });

test('the web configuration has one user, and of the password its hash alone', () => {
  const { status, stdout } = made('a: "password" # of mine');
  assert.equal(status, 0);
  assert.ok(!stdout.includes('password" # of mine'));
  const { basic_auth_users: users, ...rest } = parse(stdout);
  assert.deepEqual([Object.keys(users), rest], [['lab'], {}]);
  assert.ok(compareSync('a: "password" # of mine', users.lab) && !compareSync('another', users.lab));
  assert.notEqual(made('a: "password" # of mine').stdout, stdout, 'it is salted');
});

test('no password, and one that bcrypt would cut: exit 2, and nothing of it is said', () => {
  for (const password of ['', 'x'.repeat(73)]) {
    const { status, stdout, stderr } = made(password);
    assert.deepEqual([status, stdout], [2, '']);
    assert.equal(stderr, 'error: PASSWORD is empty or too long; valid: 1 to 72 bytes\n');
  }
});

test('a request says who asks where the environment has a user name', () => {
  assert.deepEqual(prometheusHeaders({}), {});
  assert.deepEqual(prometheusHeaders({ PROMETHEUS_PASSWORD: 'alone' }), {});
  const { authorization = '' } = prometheusHeaders({
    PROMETHEUS_USERNAME: 'lab',
    PROMETHEUS_PASSWORD: 'ü:x',
  });
  assert.equal(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString(), 'lab:ü:x');
});
