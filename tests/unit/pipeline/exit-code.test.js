/** The exit codes, and that docs/ci.md has all of them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FAIL, INVALID, K6_EXIT, PASS } from '../../../analysis/verdict.js';
import { combined, LIMIT, NO_TARGET, SIGNALS, USAGE } from '../../../pipeline/exit-code.js';
import { command } from '../../lab.js';

test('an error outweighs what was shown, that outweighs what could not be judged, that a pass', () => {
  assert.equal(combined([]), 0);
  assert.equal(combined([0, 0]), 0);
  assert.equal(combined([0, 98, 0]), 98);
  assert.equal(combined([98, 99, 0]), 99);
  assert.equal(combined([99, 98, 3, 105]), 3);
});

/** @type {Map<number, {means: string, who: string[]}>} */
const documented = new Map(
  [...readFileSync('docs/ci.md', 'utf8').matchAll(/^\| (\d+) \| (.*) \| ([a-z, -]+) \|$/gm)].map(
    ([, code, means = '', who = '']) => [Number(code), { means, who: who.split(', ') }],
  ),
);

test('docs/ci.md has every code that the code has, and no other', () => {
  const shared = [PASS, 1, USAGE, NO_TARGET, INVALID, FAIL];
  const known = [...shared, ...Object.keys(K6_EXIT).map(Number), LIMIT, ...Object.values(SIGNALS)];
  assert.deepEqual(
    [...documented.keys()],
    [...new Set(known)].sort((a, b) => a - b),
  );
  for (const [code, words] of Object.entries(K6_EXIT)) {
    const { means = '', who = [] } = documented.get(Number(code)) ?? {};
    assert.ok(who.includes('run'), code);
    // Above 128 they are a shell's, and said in other words.
    if (Number(code) < 128) assert.ok(means.startsWith(`k6: ${words}`), `${code}: ${means}`);
  }
  for (const code of [LIMIT, ...Object.values(SIGNALS)])
    assert.ok(documented.get(code)?.who.includes('ci'), `${code}`);
});

test('who is named is a script', () => {
  const scripts = readdirSync('scripts');
  for (const [code, { who }] of documented) {
    for (const name of who) assert.ok(name === 'all' || scripts.includes(name), `${code}: ${name}`);
  }
});

for (const [script, args] of /** @type {const} */ ([
  ['run', ['nope']],
  ['up', ['nope']],
  ['setup', ['nope']],
  ['ctl', ['nope']],
  ['logs', ['nope']],
  ['report', ['no-such-run']],
  ['ci', ['NOPE=1']],
  ['compare-ab', ['NOPE=1']],
  ['trend', ['NOPE=1']],
  ['baseline-save', ['NOPE=1']],
])) {
  test(`scripts/${script} ${args.join(' ')} ends with ${USAGE}, and one line`, async () => {
    const { code, output } = await command(`scripts/${script}`, [...args]);
    assert.equal(code, USAGE, output);
    assert.equal(output.trim().split('\n').length, 1, output);
  });
}
