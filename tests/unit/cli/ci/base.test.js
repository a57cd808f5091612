/** What `make ci` makes of BASE and RUNS before it starts a server or sends any load. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeBaseline } from '../../../../analysis/compare/baseline.ts';
import { command } from '../../../lab.js';
import { scratchFolder } from '../../../scratch.js';
import { DEFAULTS, side } from '../../analysis/compare/build.js';

/** A server that ends at once: what comes after BASE is exit code 3. */
const NO_SERVER = { TEST: 'load', SERVER_COMMAND: 'exit 7', TARGET_URL: 'http://127.0.0.1:1/mcp' };
const REACHED_THE_SERVER = 3;

/** @param {Record<string, string>} variables @param {number} [saved] runs of the baseline main */
async function ci(variables, saved = 0) {
  const folder = mkdtempSync(join(scratchFolder(), 'ci-'));
  const places = { RUN_DIR: join(folder, 'run'), RESULTS_DIR: join(folder, 'results') };
  const BASELINES_DIR = join(folder, 'baselines');
  if (saved > 0) {
    const { digests } = await side('old', Array(saved).fill(50));
    mkdirSync(BASELINES_DIR);
    writeFileSync(join(BASELINES_DIR, 'main.json'), JSON.stringify(makeBaseline('main', digests, DEFAULTS)));
  }
  const ended = await command('scripts/ci', [], { ...NO_SERVER, ...places, BASELINES_DIR, ...variables });
  return { ...ended, started: existsSync(places.RESULTS_DIR) };
}

test('BASE and SAVE_BASELINE name a baseline that does not exist yet; nothing is compared', async () => {
  const { code, output } = await ci({ BASE: 'main', SAVE_BASELINE: 'main', RUNS: '5' });
  assert.equal(code, REACHED_THE_SERVER, output);
  assert.match(output, /^ci: the baseline main does not exist yet; nothing is compared$/m);
});

test('a missing baseline that is not saved is an error, unless BASE_OPTIONAL=1', async () => {
  for (const save of ['', 'other']) {
    const { code, output, started } = await ci({ BASE: 'main', SAVE_BASELINE: save, RUNS: '5' });
    assert.equal(code, 2, output);
    assert.match(
      output,
      /^error: there is no baseline "main"; create it with SAVE_BASELINE=main, or set BASE_OPTIONAL=1 to skip the comparison$/m,
    );
    assert.ok(!started);
  }
  const mistyped = await ci({ BASE: 'load-20260102T030405Z-ab12', RUNS: '5' });
  assert.match(mistyped.output, /^error: BASE has "load-20260102T030405Z-ab12"; valid: testids /m);
  const optional = await ci({ BASE: 'main', BASE_OPTIONAL: '1', RUNS: '5' });
  assert.equal(optional.code, REACHED_THE_SERVER, optional.output);
});

/** @type {[saved: number, variables: Record<string, string>, refused: RegExp | null][]} */
const RUNS = [
  [5, { RUNS: '5' }, null],
  [5, { RUNS: '3' }, /^error: RUNS is 3: 5 runs against 3 cannot .*; valid: 4 or more$/m],
  [5, {}, /^error: RUNS is 1: 5 runs against 1 cannot/m],
  [1, { RUNS: '1' }, /^error: RUNS is 1: 1 run against 1 cannot .* or RUNS=1 ALLOW_SINGLE_RUN=1$/m],
  [1, { RUNS: '1', ALLOW_SINGLE_RUN: '1' }, null],
  [0, { RUNS: '2', SAVE_BASELINE: 'main' }, /^error: RUNS is 2: 2 runs against 2 cannot/m],
];

for (const [saved, variables, refused] of RUNS) {
  test(`${saved} runs saved, ${JSON.stringify(variables)}`, async () => {
    const { code, output, started } = await ci({ BASE: 'main', ...variables }, saved);
    assert.equal(code, refused ? 2 : REACHED_THE_SERVER, output);
    if (refused) assert.match(output, refused);
    assert.equal(started, !refused, 'refused before anything is started');
  });
}
