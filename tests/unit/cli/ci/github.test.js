import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { addOutputs, addSummary, annotationCommands } from '../../../../cli/ci/github.ts';

const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-github-'));
after(() => rmSync(folder, { recursive: true }));

test('a message stays one line and one command, whatever it holds', () => {
  const [line, ...none] = annotationCommands([
    { level: 'error', title: 'a: b, c::d%\n', message: '100 %0A\r\n::error::forged' },
  ]);
  assert.deepEqual(none, []);
  assert.equal(line, '::error title=a%3A b%2C c%3A%3Ad%25%0A::100 %250A%0D%0A::error::forged');
});

test('of a level no more than are shown, and no message without an end', () => {
  const many = Array.from({ length: 30 }, () => ({
    level: /** @type {const} */ ('warning'),
    title: 't',
    message: 'x'.repeat(10_000),
  }));
  const lines = annotationCommands([...many, { level: 'error', title: 'e', message: 'm' }]);
  assert.equal(lines.length, 11);
  assert.equal(lines.at(-1), '::error title=e::m');
  assert.ok(lines.every((line) => line.length < 5000));
});

test('a summary is cut at a line before GitHub would refuse it, and says so', () => {
  const file = join(folder, 'summary');
  addSummary(file, 'short\n');
  assert.equal(readFileSync(file, 'utf8'), 'short\n');
  const large = join(folder, 'large');
  addSummary(large, 'ä 123456789\n'.repeat(100_000));
  const text = readFileSync(large);
  assert.ok(text.length <= 1024 * 1024 && text.length > 1_000_000, `${text.length}`);
  assert.match(text.toString(), /\nä 123456789\n\nThe rest is in the artifacts\.\n$/);
  addSummary(undefined, 'nowhere');
});

test('an output can not name another one', () => {
  const file = join(folder, 'output');
  addOutputs(file, { 'exit-code': 99, results: '/a\nexit-code=0' });
  assert.equal(readFileSync(file, 'utf8'), 'exit-code=99\nresults=/a exit-code=0\n');
});
