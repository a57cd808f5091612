/** What is downloaded is what was looked at: exact versions, with checksums. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { LOCKS, lineOf, readGovulncheck, readNpmAudit } from '../../scripts/audit.ts';
import { projectFiles } from '../project-files.js';

const files = projectFiles();
/** @param {RegExp} name */
const those = (name) => files.filter((file) => name.test(file));

test('every npm package in a lock file has its checksum, and no address of its own', () => {
  const locks = those(/(^|\/)package-lock\.json$/);
  assert.ok(locks.length >= 3);
  for (const lock of locks) {
    const { packages } = JSON.parse(readFileSync(lock, 'utf8'));
    for (const [path, entry] of Object.entries(packages)) {
      if (path === '') continue;
      assert.match(entry.integrity ?? '', /^sha512-/, `${lock}: ${path}`);
      assert.equal(entry.resolved, undefined, `${lock}: ${path}`);
    }
  }
});

test('every package.json next to a lock file has exact versions', () => {
  for (const file of those(/(^|\/)package\.json$/)) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(file, 'utf8'));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.match(String(version), /^\d+\.\d+\.\d+[\w.-]*$/, `${file}: ${name}`);
    }
  }
});

test('every Go module has its go.sum', () => {
  const modules = those(/(^|\/)go\.mod$/);
  assert.ok(modules.length >= 7);
  for (const file of modules) {
    const required = [...readFileSync(file, 'utf8').matchAll(/^\s(\S+) (v\S+)/gm)];
    if (required.length === 0) continue;
    const sums = readFileSync(`${dirname(file)}/go.sum`, 'utf8');
    for (const [, name = '', version = ''] of required) {
      assert.ok(sums.includes(`${name} ${version}`), `${file}: ${name} ${version}`);
    }
    assert.doesNotMatch(readFileSync(file, 'utf8'), /^replace /m, file);
  }
});

test('every Python package is pinned with its hashes, and installed by them alone', () => {
  for (const file of those(/(^|\/)requirements\.txt$/)) {
    const blocks = readFileSync(file, 'utf8')
      .split(/^(?=[a-z0-9])/im)
      .filter((block) => /^[a-z0-9]/i.test(block));
    assert.ok(blocks.length > 10, file);
    for (const block of blocks)
      assert.match(
        block,
        /^[\w.[\]-]+==\S+[\s\S]*--hash=sha256:[0-9a-f]{64}/,
        `${file}: ${block.slice(0, 60)}`,
      );
  }
  const venv = readFileSync('cli/setup/venv.ts', 'utf8');
  for (const option of ["'--no-deps'", "'--only-binary', ':all:'", "'--require-hashes'"])
    assert.ok(venv.replace(/,\s+/g, ', ').includes(option), option);
  assert.match(readFileSync('cli/setup/go-build.ts', 'utf8'), /-mod=readonly/);
  assert.match(readFileSync('scripts/setup', 'utf8'), /npm ci /);
  assert.match(readFileSync('cli/setup/npm.ts', 'utf8'), /'npm', 'ci',/);
});

test('audit: all that there is is asked about', () => {
  assert.deepEqual(
    [...LOCKS].sort(),
    those(/(^|\/)package-lock\.json$/)
      .map(dirname)
      .sort(),
  );
  const [, asked = ''] = /^tools=\((.*)\)$/m.exec(readFileSync('scripts/audit', 'utf8')) ?? [];
  // Of those schemas nothing is built.
  const tools = those(/^tools\/[\w-]+\/go\.mod$/).map((file) => basename(dirname(file)));
  const built = ['exporter', 'k6', ...tools];
  assert.deepEqual(asked.split(' ').sort(), built.filter((name) => name !== 'kubernetes-schemas').sort());
});

test('audit: what npm knows', () => {
  const report = { auditReportVersion: 2, vulnerabilities: { tar: { severity: 'high', via: [] } } };
  assert.deepEqual(readNpmAudit(JSON.stringify(report)), { known: ['tar (high)'] });
  assert.deepEqual(readNpmAudit(JSON.stringify({ ...report, vulnerabilities: {} })), { known: [] });
  const refused = { message: '405 Method Not Allowed - POST https://example.org/x', method: 'POST' };
  const answer = readNpmAudit(JSON.stringify(refused));
  assert.equal(
    lineOf('npm packages of x', answer),
    'not asked  npm packages of x: 405 Method Not Allowed - POST …',
  );
  assert.deepEqual(readNpmAudit('npm error\nno network'), { notAsked: 'no network' });
});

test('audit: what govulncheck knows', () => {
  const config = JSON.stringify({ config: { scanner_name: 'govulncheck' } }, null, 2);
  /** @param {object} frame */
  const finding = (frame) =>
    JSON.stringify({ finding: { osv: 'GO-2026-1', trace: [{ module: 'a.b/c', ...frame }] } }, null, 2);
  assert.deepEqual(readGovulncheck(config, ''), { known: [] });
  assert.deepEqual(readGovulncheck(`${config}\n${finding({})}`, ''), { known: [] });
  const called = `${config}\n${finding({ function: 'F' })}\n${finding({ function: 'G' })}\n`;
  assert.deepEqual(readGovulncheck(called, ''), { known: ['a.b/c (GO-2026-1)'] });
  assert.deepEqual(readGovulncheck(config, 'govulncheck: no such host'), {
    notAsked: 'govulncheck: no such host',
  });
  assert.equal(lineOf('k6', { known: ['a (b)'] }), 'KNOWN      k6: a (b)');
});

test('k6 reports to nobody and fetches nothing', () => {
  const { stdout } = spawnSync('bash', ['-c', '. scripts/common.sh; env'], { encoding: 'utf8' });
  assert.match(stdout, /^K6_NO_USAGE_REPORT=true$/m);
  assert.match(stdout, /^K6_AUTO_EXTENSION_RESOLUTION=false$/m);
});

test('every npm dependency has its reason in CONTRIBUTING.md', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const reasons = readFileSync('CONTRIBUTING.md', 'utf8');
  for (const name of Object.keys({ ...dependencies, ...devDependencies }))
    if (!name.startsWith('@types/')) assert.ok(reasons.includes(`| \`${name}\` |`), name);
});
