import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
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
    assert.match(steps.output, /^renew-1-1 +~ 22 s +1 VU +10$/m);
    assert.match(
      steps.output,
      /one\s+after\s+the\s+other:\s+about\s+\d+\s+s\s+for\s+the\s+reference\s+target/,
    );
  } finally {
    rmSync(empty, { recursive: true });
  }
});

test('nothing that a plan starts reads the ~/.bashrc of its user, which may start anything', async () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  const read = join(home, 'read');
  writeFileSync(join(home, '.bashrc'), `echo "$0 $BASH_EXECUTION_STRING" >>'${read}'\n`);
  const XDG_CACHE_HOME = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  // bash reads it where SHLVL says that no shell has started this one.
  const env = { HOME: home, SHLVL: '0', XDG_CACHE_HOME, RUN_DIR: join(home, 'run') };
  try {
    const { code, output } = await command('scripts/run', ['baseline', 'DRY_RUN=1'], env);
    assert.equal(code, 0, output);
    assert.ok(!existsSync(read), output);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('a test that holds streams of what has none: exit 2 and one line', async () => {
  const { code, output } = await command('scripts/run', ['streams', 'DRY_RUN=1'], {
    ...{ TARGET_URL: 'http://127.0.0.1:1/', TARGET_PROTOCOL: 'jsonrpc', TOOL: 'a', ARGS: '{}' },
  });
  assert.equal(code, 2, output);
  assert.match(output, /^error: the test streams holds streams, but jsonrpc has no streams; valid: MCP /m);
});
