import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abortIn } from '../../../cli/run/abort.ts';

test('the exit code and the reason with which a script ended its test; where none did, what k6 said last', () => {
  for (const [log, code, reason] of /** @type {const} */ ([
    [
      'test aborted: exit 3: nobody answers at abort (file:///x/lib/abort.js:19:18(20))\n',
      3,
      'nobody answers',
    ],
    ['a\ntest aborted: exit 2: TOOL is "x"; valid: y\nb\n', 2, 'TOOL is "x"; valid: y'],
    [
      'GoError: unknown module: k6/x/mcp\n',
      1,
      'this k6 lacks the module k6/x/mcp; build one with: scripts/setup k6',
    ],
    ['test aborted: exit 0: all is well\n', 1, 'test aborted: exit 0: all is well'],
    ['one\ntwo\nthree\nfour\n', 1, 'two three four'],
    ['GoError: x\n\tat a (b)\n\tat c\n\tat d\n', 1, 'GoError: x'],
    ['', 1, ''],
  ]))
    assert.deepEqual(abortIn(log), { code, reason });
  assert.equal(abortIn('z'.repeat(100_000)).reason.length, 1000);
});
