import assert from 'node:assert/strict';
import { test } from 'node:test';
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
