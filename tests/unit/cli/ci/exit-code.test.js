/** The exit codes of a pipeline, and of every script that is used wrongly. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { combined, endingOf, missedIn, SIGNALS, WORDS, worseIn } from '../../../../cli/ci/exit-code.ts';
import { USAGE } from '../../../../cli/ending.ts';
import { command } from '../../../lab.js';

test('an error outweighs what was shown, that outweighs what could not be judged, that a pass', () => {
  assert.equal(combined([]), 0);
  assert.equal(combined([0, 0]), 0);
  assert.equal(combined([0, 98, 0]), 98);
  assert.equal(combined([98, 99, 0]), 99);
  assert.equal(combined([99, 98, 3, 105]), 3);
});

test('the last line of a failure says what failed', () => {
  const done = { what: 'load', code: 99, folder: '', markdown: '' };
  const worse = { metrics: 4, than: 'the baseline main' };
  for (const [steps, text] of /** @type {[any[], string][]} */ ([
    [[{ ...done, missed: 2 }], 'exit code 99: 2 objectives were missed'],
    [[{ ...done, missed: 1 }], 'exit code 99: 1 objective was missed'],
    [
      [
        { ...done, missed: 2 },
        { ...done, code: 98, missed: 1 },
        { ...done, missed: 1 },
      ],
      'exit code 99: 3 objectives were missed in 2 runs',
    ],
    [
      [
        { ...done, code: 0, missed: 0 },
        { ...done, worse },
      ],
      'exit code 99: 4 metrics are worse than the baseline main',
    ],
    [
      [
        { ...done, missed: 1 },
        { ...done, worse: { metrics: 1, than: 'load-1' } },
      ],
      'exit code 99: 1 objective was missed, and 1 metric is worse than load-1',
    ],
    [[done], `exit code 99: ${WORDS[99]}`],
  ]))
    assert.equal(endingOf(99, steps), text);
  assert.equal(endingOf(0, [{ ...done, code: 0 }]), 'exit code 0: pass');
  assert.equal(endingOf(105, []), 'exit code 105');
  const outcomes = /** @type {any[]} */ (['pass', 'fail', 'invalid', 'fail'].map((outcome) => ({ outcome })));
  assert.equal(missedIn({ thresholds: outcomes }), 2);
  const rows = /** @type {any[]} */ (['worse', 'same', 'better'].map((outcome) => ({ outcome })));
  assert.equal(worseIn({ metrics: rows }), 1);
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
