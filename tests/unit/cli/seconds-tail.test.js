import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SecondsTail } from '../../../cli/run/seconds-tail.ts';

const folder = mkdtempSync(join(tmpdir(), 'seconds-tail-'));
after(() => rmSync(folder, { recursive: true }));
/** @param {string} text */
const write = (text) => appendFileSync(join(folder, 'seconds.jsonl'), text);
/** @param {number} at @param {object} groups */
const second = (at, groups) => `${JSON.stringify({ at, vus: 5, groups })}\n`;

test('what the output lab writes is read as it comes, line by line', () => {
  const tail = new SecondsTail(folder, 3);
  assert.throws(() => tail.read(), /ENOENT/);

  write('{"group":0,"phase":"","operation":""}\n{"group":1,"phase":"spike","operation":"größe"}\n');
  write(second(100, { 0: { metrics: { mcp_started_seconds: { range: [99.5, 99.5] } } } }));
  tail.read();
  assert.equal(tail.startedS, 99.5);
  assert.equal(tail.last('spike'), null, 'nothing was called');

  write(second(101, { 1: { requests: 7 } }));
  tail.read();
  assert.equal(tail.last('spike'), null, 'the second in which it began');

  const whole = second(102, { 1: { requests: 10, failed: 2, duration: '0' } });
  write(whole.slice(0, 20));
  tail.read();
  assert.equal(tail.last('spike'), null, 'half a line');
  write(whole.slice(20) + second(103, { 1: { requests: 14, failed: 4, iterations: 12 } }));
  tail.read();
  const found = tail.last('spike');
  assert.deepEqual([found?.seconds, found?.sums.requests, found?.sums.failed], [2, 24, 6]);
  assert.equal(tail.requests.get('spike'), 31);
  assert.equal(tail.iterations.get('spike'), 12);

  write(second(104, {}) + second(105, {}) + second(106, {}) + second(107, { 0: { requests: 1 } }));
  tail.read();
  assert.deepEqual(tail.last('spike')?.sums.requests, 0, 'only the last ones are kept');
  assert.equal(tail.last(undefined)?.sums.requests, 1, 'of all phases');
});

test('a call that is answered late is one of the last seconds, and of its phase', () => {
  const tail = new SecondsTail(folder, 3);
  tail.read();
  write('{"group":3,"phase":"slow","operation":"get_user"}\n');
  write(second(200, { 3: { requests: 1 } }) + second(201, { 3: { requests: 2 } }) + second(202, {}));
  // Calls of 200 that were answered in 203.
  write(`${second(203, {})}${JSON.stringify({ at: 200, groups: { 3: { requests: 5, failed: 1 } } })}\n`);
  tail.read();
  const found = tail.last('slow');
  assert.deepEqual([found?.seconds, found?.sums.requests, found?.sums.failed], [3, 7, 1]);
  assert.equal(found?.sums.vus, 5, 'a further line does not say how many VUs there were');
  assert.equal(tail.requests.get('slow'), 8);
  write(second(204, {}) + second(205, {}) + second(206, {}));
  tail.read();
  assert.equal(tail.last('slow')?.sums.requests, 0);
});

test('of a sequence the calls of steps that are over', () => {
  const tail = new SecondsTail(folder, 3);
  write('{"group":2,"phase":"list","operation":""}\n');
  write(second(108, { 2: { metrics: { mcp_step_iterations: { sum: 100 } } } }));
  tail.read();
  assert.equal(tail.made.get('list'), 100);
});
