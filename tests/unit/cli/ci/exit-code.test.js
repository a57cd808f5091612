/** The exit codes of a pipeline, and of every script that is used wrongly. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { combined, SIGNALS, WORDS } from '../../../../cli/ci/exit-code.ts';
import { USAGE } from '../../../../cli/ending.ts';
import { command } from '../../../lab.js';

test('an error outweighs what was shown, that outweighs what could not be judged, that a pass', () => {
  assert.equal(combined([]), 0);
  assert.equal(combined([0, 0]), 0);
  assert.equal(combined([0, 98, 0]), 98);
  assert.equal(combined([98, 99, 0]), 99);
  assert.equal(combined([99, 98, 3, 105]), 3);
});

test('docs/ci.md has every exit code of make ci', () => {
  const page = readFileSync('docs/ci.md', 'utf8');
  const codes = [...page.matchAll(/^\| (\d+) \|.*\| (?:all|[^|]*\bci\b[^|]*) \|$/gm)].map(([, code]) =>
    Number(code),
  );
  for (const code of [...Object.keys(WORDS).map(Number), ...Object.values(SIGNALS)])
    assert.ok(codes.includes(code), `${code} is not in the table`);
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
  ['baseline-save', ['NOPE=1']],
])) {
  test(`scripts/${script} ${args.join(' ')} ends with ${USAGE}, and one line`, async () => {
    const { code, output } = await command(`scripts/${script}`, [...args]);
    assert.equal(code, USAGE, output);
    assert.equal(output.trim().split('\n').length, 1, output);
  });
}
