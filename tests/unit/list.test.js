import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { command } from '../lab.js';

test('make list: each test with its length by profile, from the plan that a run would have', async () => {
  const { code, output, seconds } = await command('make', ['--no-print-directory', 'list'], { DURATION: '' });
  assert.equal(code, 0, output);
  assert.ok(seconds < 10, `${seconds} s`);
  const rows = new Map(output.split('\n').map((line) => [line.split(/\s{2,}/)[0], line.split(/\s{2,}/)]));
  assert.deepEqual(rows.get('test'), ['test', 'smoke', 'quick', 'full', 'what it measures']);
  assert.deepEqual(rows.get('spike')?.slice(1, 4), ['33 s', '2 min 10 s', '12 min 30 s']);
  assert.deepEqual(rows.get('rbac')?.slice(1, 4), ['33 s', '1 min 40 s', '2 min']);
  assert.deepEqual(rows.get('crud')?.slice(1, 4), ['~ 30 s', '~ 4 min 11 s', '~ 19 min']);
  for (const file of readdirSync('scenarios')) {
    const [, title] = /^ {2}title: '(.*)',$/m.exec(readFileSync(`scenarios/${file}`, 'utf8')) ?? [];
    const row = rows.get(file.replace('.js', ''));
    assert.equal(row?.length, 5, file);
    assert.equal(row?.[4], title, file);
  }
});

test('make list: variables count, and a wrong one is one line', async () => {
  const shorter = await command('scripts/list', [], { DURATION: '60s' });
  assert.match(shorter.output, /^spike +1 min 3 s +1 min 10 s +1 min 30 s /m);
  const wrong = await command('scripts/list', [], { DURATION: 'soon' });
  assert.equal(wrong.code, 2);
  assert.match(wrong.output, /^error: DURATION is "soon"; valid: .*\n$/);
});

test('make plan: without a stack, how the reference target would be loaded', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'plan-'));
  const plan = (/** @type {string} */ name) =>
    command('scripts/run', [name, 'DRY_RUN=1'], { RUN_DIR: empty });
  try {
    const mix = await plan('rbac');
    assert.equal(mix.code, 0, mix.output);
    assert.match(mix.output, /^OPERATION +class +share /m);
    // Arguments as they are sent, and not of a mix.
    const own = await plan('workflows');
    assert.match(own.output, /^OPERATION +class +calls /m);
    assert.match(own.output, /^resource-subscribe +write +2,400 +\{"uri":"users:\/\/\d+"\}$/m);
    const steps = await plan('bulk');
    assert.match(steps.output, /^fill +write +- /m);
    assert.match(steps.output, /^bulk_toggle_hosts +write +411 /m);
    assert.match(steps.output, /^renew-1-1 +~ 22 s +1 user +10$/m);
    assert.match(steps.output, /one after the other: about \d+ s for the reference target/);
  } finally {
    rmSync(empty, { recursive: true });
  }
});
