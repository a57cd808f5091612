/**
 * A native stack for one test file: its ports, its data and its results are the file's own, whatever else runs on this machine. What the
 * file starts through scripts/ belongs to it.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { command } from './lab.js';
import { scratchFolder } from './scratch.js';
import { setUp } from './tool.js';

/** @param {string} folder for a stack's state and results: this process, and what it starts, has them there */
export function stackIn(folder) {
  Object.assign(process.env, {
    STACK: 'native',
    RUN_DIR: join(folder, 'run'),
    RESULTS_DIR: join(folder, 'results'),
    // What other programs use of this machine is not what is tested.
    MAX_BACKGROUND_CPU: '1',
    // The target's certificate authority takes seconds, which are no test of anything.
    AUTHORITY_LATENCY_MS: '100',
  });
  mkdirSync(join(folder, 'results'));
}

/**
 * Call it before anything else. It sets RUN_DIR and RESULTS_DIR of this process; the stack is removed when the file's tests have ended.
 *
 * @param {object} [options]
 * @param {'all' | 'observe' | 'later'} [options.up] what is up when this returns; later: what a command of a test starts
 * @param {string[]} [options.needs] of scripts/setup, besides k6 and the stack
 */
export async function ownStack({ up = 'all', needs = [] } = {}) {
  setUp('k6', 'stack', ...needs);
  const folder = mkdtempSync(join(scratchFolder(), 'stack-'));
  stackIn(folder);
  const remove = async () => {
    await command('scripts/clean', []);
    rmSync(folder, { recursive: true, force: true });
  };
  if (up !== 'later') {
    const { code, output } = await command('scripts/up', up === 'observe' ? ['observe'] : []);
    if (code !== 0) await remove();
    assert.equal(code, 0, output);
  }
  after(remove);
}
