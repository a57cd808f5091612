/** What the module's page and its types say, next to xk6-mcp/names.json. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readPage } from '../markdown.js';
import { scratchFolder } from '../scratch.js';

const { failureKinds, metrics } = JSON.parse(readFileSync('xk6-mcp/names.json', 'utf8'));
const kinds = Object.values(failureKinds);

test('the types have each kind of failure, and no other', () => {
  const [, union = ''] = /type FailureKind =([^;]*);/.exec(readFileSync('xk6-mcp/index.d.ts', 'utf8')) ?? [];
  assert.deepEqual(
    [...union.matchAll(/'(\w+)'/g)].map(([, kind]) => kind),
    kinds,
  );
});

test('the page explains each kind of failure', () => {
  const page = readFileSync('xk6-mcp/README.md', 'utf8');
  for (const kind of kinds) assert.ok(page.includes(`\`${kind}\``), String(kind));
});

test('each metric says what it measures', () => {
  for (const { name, type, help } of Object.values(metrics)) {
    assert.match(name, /^mcp_[a-z_]+$/);
    assert.match(type, /^(counter|gauge|rate|trend)$/);
    assert.match(help, /^[A-Z].*\.$/);
  }
});

test('the scripts of the page pass tsc --strict with the types', () => {
  const folder = join(scratchFolder(), 'types');
  mkdirSync(folder);
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  copyFileSync('xk6-mcp/index.d.ts', join(folder, 'k6-x-mcp.d.ts'));
  const scripts = readPage('xk6-mcp/README.md').blocks.filter(({ language }) => language === 'javascript');
  assert.ok(scripts.length > 0);
  for (const [index, { text }] of scripts.entries()) writeFileSync(join(folder, `${index}.ts`), text);
  const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', types: ['k6'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
  try {
    execFileSync('node_modules/.bin/tsc', ['-p', folder], { encoding: 'utf8' });
  } catch (error) {
    assert.fail(/** @type {any} */ (error).stdout);
  }
});
