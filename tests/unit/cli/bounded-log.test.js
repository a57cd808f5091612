import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readK6Log } from '../../../analysis/collect/k6-log.ts';
import { BoundedLog } from '../../../cli/run/bounded-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'bounded-log-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {number} count @param {string} name */
function logOf(count, name) {
  const log = new BoundedLog(join(folder, name));
  for (let number = 1; number <= count; number += 1) log.add(`line ${number} ${'x'.repeat(90)}`);
  log.close();
  return readFileSync(join(folder, name), 'utf8');
}

test('what is short is kept whole', () => {
  const lines = logOf(3000, 'short.log').trimEnd().split('\n');
  assert.equal(lines.length, 3000);
  assert.ok(lines.every((line, index) => line.startsWith(`line ${index + 1} `)));
});

test('of what is long the beginning and the end are kept, and where something is missing is said', async () => {
  const text = logOf(50_000, 'long.log');
  assert.ok(text.length < 400_000);
  assert.ok(text.startsWith('line 1 ') && text.includes('line 2000 ') && text.includes('line 50000 '));
  assert.equal(text.match(/^the middle of this log was removed$/gm)?.length, 1);
  // Every line is a whole one.
  assert.ok(
    text
      .trimEnd()
      .split('\n')
      .every((line) => /^(line \d+ x+|the middle of .*)$/.test(line)),
  );
  assert.match((await readK6Log(join(folder, 'long.log'))).lastLine ?? '', /^line 50000 /);
});

test('one line without an end takes no more than the log may', () => {
  const log = new BoundedLog(join(folder, 'endless.log'));
  for (let count = 0; count < 5; count += 1) log.add('y'.repeat(3_000_000));
  log.close();
  assert.ok(readFileSync(join(folder, 'endless.log')).length < 400_000);
});

test('a last line that is as long as the end may be is kept', () => {
  const log = new BoundedLog(join(folder, 'last.log'));
  for (let count = 0; count < 3; count += 1) log.add('z'.repeat(131_072));
  log.add(`last ${'z'.repeat(200_000)}`);
  log.close();
  assert.match(readFileSync(join(folder, 'last.log'), 'utf8'), /^last z+$/m);
});

test('a log that can not be written ends nobody', () => {
  const log = new BoundedLog(join(folder, 'gone.log'));
  rmSync(folder, { recursive: true });
  assert.doesNotThrow(() => {
    log.add('said');
    log.close();
  });
});
