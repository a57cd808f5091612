import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { command } from '../lab.js';

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
