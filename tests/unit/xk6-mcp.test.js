/** What the module's page and its types say, next to xk6-mcp/names.json. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

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
