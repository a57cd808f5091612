/** What holds for the whole tree. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { projectFiles } from '../project-files.js';

/** @param {string} command @param {string[]} args */
function succeeds(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`.slice(-4000));
}

const files = projectFiles();

test('shell scripts parse', () => {
  const scripts = files.filter(
    (name) => /^(scripts\/|\.ci\/)/.test(name) && !/\.(js|ts|txt|awk)$/.test(name),
  );
  assert.ok(scripts.length > 5);
  for (const script of scripts) succeeds('bash', ['-n', script]);
});

test('lib/ runs inside k6: it imports k6, itself and nothing else', () => {
  for (const name of files.filter((file) => /^(lib|workloads|scenarios)\/.*\.js$/.test(file))) {
    for (const [, from = ''] of readFileSync(name, 'utf8').matchAll(
      /^(?:import|export) .*from '([^']+)';/gm,
    )) {
      assert.match(from, /^(k6(\/\w+)*|\.{1,2}\/[\w./-]+\.js)$/, `${name} imports ${from}`);
    }
  }
});

test('contract/ is below all: it imports itself and nothing else', () => {
  const names = files.filter((file) => /^contract\/.*\.js$/.test(file));
  assert.ok(names.length > 10);
  for (const name of names) {
    const own = name.startsWith('contract/variables/') ? /^\.{1,2}\/[\w-]+\.js$/ : /^\.\/[\w/-]+\.js$/;
    for (const [, from = ''] of readFileSync(name, 'utf8').matchAll(/from '([^']+)'/g))
      assert.match(from, own, `${name} imports ${from}`);
  }
});

test('page/ knows what it is given: it imports itself, contract/ and libraries', () => {
  const names = files.filter((file) => /^page\/.*\.ts$/.test(file));
  assert.ok(names.length > 5);
  for (const name of names) {
    for (const [, from = ''] of readFileSync(name, 'utf8').matchAll(/from '(\.[^']+)'/g))
      assert.match(join(dirname(name), from), /^(page|contract)\//, `${name} imports ${from}`);
  }
});

test('analysis/ and lib/ meet only in documents', () => {
  for (const name of files.filter((file) => /^(lib|analysis)\/.*\.js$/.test(file))) {
    const other = name.startsWith('lib/') ? 'analysis/' : 'lib/';
    for (const [, from = ''] of readFileSync(name, 'utf8').matchAll(/from '([^']+)'/g)) {
      assert.ok(!from.includes(other), `${name} imports ${from}`);
    }
  }
});

test('the lock file names no host', () => {
  assert.ok(!readFileSync('package-lock.json', 'utf8').includes('"resolved"'));
});
