/** What holds for the whole tree. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { projectFiles } from '../project-files.js';

/** @param {string} command @param {string[]} args */
function succeeds(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`.slice(-4000));
}

const files = projectFiles();

test('shell scripts parse', () => {
  const scripts = files.filter((name) => /^(scripts\/|\.ci\/)/.test(name) && !/\.(js|txt)$/.test(name));
  assert.ok(scripts.length > 5);
  for (const script of scripts) succeeds('bash', ['-n', script]);
});

test('lib/ runs inside k6: it imports k6, itself and nothing else', () => {
  for (const name of files.filter((file) => /^(lib|workloads|scenarios)\/.*\.js$/.test(file))) {
    for (const [, from = ''] of readFileSync(name, 'utf8').matchAll(
      /^(?:import|export) .*from '([^']+)';/gm,
    )) {
      assert.match(from, /^(k6(\/\w+)?|\.{1,2}\/[\w./-]+\.js)$/, `${name} imports ${from}`);
    }
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

test('every dependency is pinned exactly and has its reason in docs/dependencies.md', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const reasons = readFileSync('docs/dependencies.md', 'utf8');
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name);
    assert.ok(
      reasons.includes(`| \`${name}\` | ${version} |`),
      `docs/dependencies.md has no row for ${name} ${version}`,
    );
  }
});

test('every Python package is pinned by its hashes and comes from no named host', () => {
  const reasons = readFileSync('docs/dependencies.md', 'utf8');
  for (const server of ['tests/servers/python', 'tools/gateway']) {
    const [, name, version] = /^(.+)==(.+)$/m.exec(readFileSync(`${server}/requirements.in`, 'utf8')) ?? [];
    assert.ok(reasons.includes(`| \`${name}\` (Python) | ${version} |`), `${name} ${version} has no row`);
    const pins = readFileSync(`${server}/requirements.txt`, 'utf8');
    assert.ok(
      pins.includes(`\n${name}==${version} \\\n`),
      `requirements.txt does not pin ${name} ${version}`,
    );
    for (const line of pins.split('\n')) {
      assert.match(line, /^($|#| {4}--hash=sha256:[0-9a-f]{64}( \\)?$|[\w.-]+==[\w.]+ .*\\$)/, server);
    }
  }
});

test('the lock file names no host', () => {
  assert.ok(!readFileSync('package-lock.json', 'utf8').includes('"resolved"'));
});

test('every test has a row in docs/tests.md, and is named in the README', () => {
  const rows = readFileSync('docs/tests.md', 'utf8');
  const readme = readFileSync('README.md', 'utf8');
  for (const name of files.filter((file) => /^scenarios\/.*\.js$/.test(file))) {
    const short = name.slice('scenarios/'.length, -'.js'.length);
    assert.ok(rows.includes(`| \`make ${short}\` |`), `docs/tests.md has no row for make ${short}`);
    assert.ok(readme.includes(`\`${short}\``), `README.md does not name ${short}`);
    assert.ok(readFileSync(name, 'utf8').includes(`name: '${short}'`), `${name} is named after its test`);
  }
});
