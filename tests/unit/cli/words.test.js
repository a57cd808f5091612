import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runFolder } from '../../../cli/stack.ts';
import { readWords, takeWords } from '../../../cli/variables.ts';
import { command } from '../../lab.js';

test('a relative RUN_DIR is one from here, also as a word', () => {
  takeWords('compare', ['RUN_DIR=.run-2']);
  assert.equal(runFolder(), join(process.cwd(), '.run-2'));
});

test('a mistyped name is refused with those that it may be, or with all where they are few', () => {
  assert.throws(
    () => readWords('run', ['PROFLIE=smoke']),
    /^Error: got "PROFLIE"; valid: NAME=value with a NAME of make help-all, such as PROFILE, /,
  );
  assert.throws(
    () => readWords('compare', ['BASES=x']),
    /valid: NAME=value with a NAME of BASE, HEAD, .*, RESULTS_DIR$/,
  );
  assert.throws(
    () => readWords('run', ['x'.repeat(1_000_000)]),
    (error) => String(error).length < 500,
  );
});

test('make hands on what it is given as it is, and its own environment, whatever is in that', async () => {
  const text = `pa$word "q" 'r' \`touch x\` $(shell touch y)`;
  const show = '--eval=show: ; @printf "%s|%s" "$$TARGET_TOKEN" "$$TARGET_HEADERS"';
  const env = { TARGET_HEADERS: text, 'A:B': '1', 'C#D': '1', MAKELEVEL: '' };
  const { output } = await command('make', ['-s', show, 'show', `TARGET_TOKEN=${text}`], env);
  assert.equal(output, `${text}|${text}`);
});
