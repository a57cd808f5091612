import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesOf } from '../../../lib/names-of.js';

test('names for a message: all of a few, the first of many', () => {
  assert.equal(namesOf(['a', 'größe', '検索']), 'a, größe, 検索');
  assert.match(namesOf(Array.from({ length: 500 }, (_, index) => `n${index}`)), /^n0, .*n19 and 480 more$/);
});

test("a server's names do nothing to the terminal", () => {
  assert.equal(namesOf(['a\u001b[31m\r\nb', 'c\u202ed']), 'a [31m b, c d');
  assert.ok(namesOf(['x'.repeat(1e6)]).length <= 60);
});
