import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nameLatest } from '../../../cli/run/verdict.ts';

const results = mkdtempSync(join(tmpdir(), 'latest-'));
process.env.RESULTS_DIR = results;
after(() => rmSync(results, { recursive: true }));
const latest = join(results, 'latest');

test('latest is the newest run', () => {
  for (const run of ['spike-1', 'spike-2']) {
    nameLatest(join(results, run));
    assert.equal(readlinkSync(latest), run);
  }
});

test('where there is something else of that name the run goes on, and leaves nothing', () => {
  rmSync(latest);
  mkdirSync(join(latest, 'of-somebody'), { recursive: true });
  nameLatest(join(results, 'spike-3'));
  assert.deepEqual(readdirSync(results), ['latest']);
  assert.deepEqual(readdirSync(latest), ['of-somebody']);
});
