import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harmlessJson, oneLine } from '../../../contract/one-line.js';

test('no control character, no direction of text, nothing without a width, no half of a pair comes through', () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    const character = String.fromCharCode(code);
    const kept = oneLine(`a${character}b`, 10).includes(character) && character !== ' ';
    if (kept)
      assert.doesNotMatch(
        character,
        /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b-\u200d\u2060\ufeff]/u,
        `U+${code.toString(16)}`,
      );
  }
});

test('words of any language come through', () => {
  for (const text of ['größe', '検索', 'поиск', 'खोज', '“quoted” – text…', 'a/b.c-d_e']) {
    assert.equal(oneLine(text, 100), text);
  }
});

test('it is one line, bounded, also of ten megabytes, and of anything', () => {
  assert.equal(oneLine('a\r\n\tb', 10), 'a b');
  assert.equal(oneLine('x'.repeat(10_000_000), 200).length, 200);
  assert.equal(oneLine(null, 10), 'null');
});

test('JSON says the same, and nothing in it does anything', () => {
  const value = {
    '\u202ekey': ['a\n\u001b[2J\u009b31m', 'größe 😀', '\u2028\ufeff'],
    n: -1.5,
    nothing: null,
  };
  for (const indent of [undefined, 2]) {
    const text = harmlessJson(value, indent);
    assert.deepEqual(JSON.parse(text), value);
    assert.doesNotMatch(text, /[^\P{Cc}\n]|\p{Bidi_Control}|[\u2028\ufeff]/u);
    assert.equal(text.split('\n').length, indent ? 9 : 1);
  }
});
