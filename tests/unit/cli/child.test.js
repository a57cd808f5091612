/** What becomes of programs that a command starts, where the command is ended. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith } from '../../process-tree.js';
import { setUp } from '../../tool.js';

// Else the first command would build it.
setUp('k6');

const folder = mkdtempSync(join(tmpdir(), 'child-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} needle in its environment */
async function isGone(needle) {
  for (let tries = 0; processesWith(needle).length > 0 && tries < 50; tries += 1) await sleep(100);
  assert.deepEqual(processesWith(needle), []);
}

test('a program that is killed takes with it what it waits for', async () => {
  const needle = `MARK=${folder}`;
  const script =
    "import { runForwardingSignals } from './cli/child.ts'; await runForwardingSignals('sh', ['-c', 'echo up; exec sleep 60'], { stdio: 'inherit' });";
  const child = spawn('node', ['--input-type=module', '-e', script], {
    env: { ...process.env, MARK: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((up) => createInterface({ input: child.stdout }).once('line', up));
  child.kill('SIGKILL');
  await isGone(needle);
});

for (const [what, words] of /** @type {const} */ ([
  ['a run looks at its plan', ['run', 'spike']],
  ['a server is asked what it offers', ['workload-init', 'TARGET_URL=http://127.0.0.1:9/mcp']],
]))
  test(`a signal while ${what}: one word, exit code 130, nothing is left`, async () => {
    const slow = join(folder, 'k6-2');
    writeFileSync(slow, '#!/bin/sh\nexec sleep 60\n');
    chmodSync(slow, 0o755);
    const env = {
      ...process.env,
      K6_FOUND: slow,
      MARK: folder,
      STACK: 'native',
      RUN_DIR: join(folder, 'run'),
      // A run would set up the stack first.
      DRY_RUN: '1',
      by_make: '1',
    };
    const child = spawn('scripts/lab', words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    while (
      processesWith(`MARK=${folder}`).every(({ command }) => !command.startsWith('sleep')) &&
      child.exitCode === null
    )
      await sleep(50);
    child.kill('SIGTERM');
    assert.equal(await ended, 130);
    assert.match(said, /^(listing .*\n)?interrupted\nexit code 130 \(make itself exits with 2; .*\n$/);
    await isGone(`MARK=${folder}`);
  });
