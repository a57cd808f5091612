import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Undo } from '../../../cli/undo.ts';

test('all is undone in the opposite order, once, also where a step fails', async () => {
  const undo = new Undo();
  /** @type {string[]} */
  const done = [];
  undo.add(() => done.push('first'));
  undo.add(() => {
    throw new Error('a full disk');
  });
  undo.add(async () => {
    await Promise.resolve();
    throw new Error('no answer');
  });
  undo.add(() => done.push('last'));
  await undo.all();
  await undo.all();
  assert.deepEqual(done, ['last', 'first']);
});

test('a step begins when the one before has ended: a folder is removed after the server that writes to it has ended', async () => {
  const undo = new Undo();
  /** @type {string[]} */
  const done = [];
  undo.add(() => done.push('folder'));
  undo.add(async () => {
    await sleep(20);
    done.push('server');
  });
  await undo.all();
  assert.deepEqual(done, ['server', 'folder']);
});

test('what was undone no longer waits for the end of the program: a test of many trials has many', async () => {
  const before = process.listenerCount('exit');
  for (let count = 0; count < 20; count += 1) await new Undo().all();
  assert.equal(process.listenerCount('exit'), before);
});
