import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget, Impossible } from '../../../../lib/schema/limits.js';
import { parsePattern } from '../../../../lib/schema/pattern.js';
import { matches } from '../../../../lib/schema/pattern-match.js';
import { sample } from '../../../../lib/schema/pattern-sample.js';
import { Random } from '../../../../lib/schema/random.js';

/** @param {string} pattern @param {string} text */
const matched = (pattern, text) => matches(parsePattern(pattern), text, new Budget(1e7));

/** @param {string} pattern @param {number} seed @param {Partial<{min: number, max: number, mixed: boolean}>} [wanted] */
function sampled(pattern, seed, { min = 0, max = 60, mixed = false } = {}) {
  return sample(
    parsePattern(pattern),
    { min, max },
    { random: new Random(seed), budget: new Budget(1e6), mixed },
  );
}

/** Patterns without lookarounds, inner anchors and boundaries: every sample must match. */
const PLAIN = [
  '^[a-z]+$',
  '^[A-Z]{3}-\\d{4}$',
  '^(foo|bar|baz)$',
  '^(?:a|b(?:c|d)?)+$',
  '^(?<year>\\d{4})-(?<month>0[1-9]|1[0-2])$',
  '(?<word>[a-z]{2,})=\\k<word>',
  '^(a|b)\\1$',
  '^[^/\\s]+/[^/\\s]+$',
  '^.{3,5}$',
  '^.*?x$',
  '^[^]{4}$',
  '^\\w+(\\.\\w+)*$',
  '^\\S+\\s\\S+$',
  '^\\D\\W\\S$',
  '^\\u0041\\x42\\u{43}$',
  '^[\\u0400-\\u044f]{2,4}$',
  '^[😀-😎]{2}$',
  '^\\ud83d\\ude00$',
  '^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$',
  '^#([0-9a-fA-F]{3}){1,2}$',
  '^v?\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$',
  '^\\+[1-9]\\d{1,14}$',
  '^(?:[01]\\d|2[0-3]):[0-5]\\d$',
  '^[-+]?[0-9]*\\.?[0-9]+$',
  '^\\{[^{}]*\\}$',
  '^\\$\\(\\[x\\]\\)\\^\\|\\\\$',
  '^a{2}b{1,}c{0,2}$',
  '^[\\]\\-\\\\a]+$',
  '^[a\\-z]$',
  '^$',
  '^$|^abc$',
  'abc',
  'end$',
  '^start',
  'a|^b$|c',
  '',
  '^[\\t\\n\\v\\f\\r\\0]$',
  '^\\cA$',
  '^\\/api\\/v[12]\\/(users|items)\\/[0-9]+\\/?$',
  '^(([a-z]{2}){2}){2}$',
  '^(a*)*$',
  '^(?:)*$',
  '^\\p{L}+$',
  '^\\P{L}+$',
  '^\\p{Lu}\\p{Ll}+\\p{Nd}$',
];

/** Only trying can satisfy these. */
const TRIED = [
  '^(?=.*[a-z])(?=.*\\d)[a-z\\d]{8,}$',
  '^(?!-)[a-z0-9-]+$',
  '^[a-z]+(?<!x)$',
  '^(?<=^)ab(?=c)c$',
  '\\bword\\b',
  '^a\\Bb$',
  '(?=a)a^',
];

test('every sample matches its pattern, and JavaScript agrees', () => {
  for (const pattern of PLAIN) {
    for (let seed = 0; seed < 40; seed += 1) {
      const text = sampled(pattern, seed, { mixed: seed % 2 === 1 });
      assert.ok(new RegExp(pattern, 'u').test(text), `${pattern} made ${JSON.stringify(text)}`);
      assert.ok(matched(pattern, text), `${pattern} is said not to match ${JSON.stringify(text)}`);
    }
  }
});

test('a length that is asked for is kept where the pattern has such strings', () => {
  for (const [pattern, min, max] of /** @type {[string, number, number][]} */ ([
    ['^[a-z]+$', 20, 20],
    ['^[a-z]*$', 0, 2],
    ['^(foo|quux)+$', 7, 7],
    ['^[a-z]+-[a-z]+-[0-9]*$', 30, 32],
    ['^a{0,5}b{0,5}$', 9, 10],
    ['^(?:[a-z]{2}|[0-9]{10})$', 5, 12],
    ['abc', 10, 12],
    ['^ab?c?d?$', 4, 4],
    ['^([a-z]+\\.)+com$', 25, 30],
  ])) {
    for (let seed = 0; seed < 30; seed += 1) {
      const text = sampled(pattern, seed, { min, max });
      assert.ok(text.length >= min && text.length <= max, `${pattern} of ${min} to ${max}: ${text}`);
      assert.match(text, new RegExp(pattern, 'u'));
    }
  }
});

test('matching agrees with JavaScript on every pattern and any text', () => {
  const random = new Random(5);
  const alphabet = [...'abcxyz019-_. /\\@#=+:{}[]()^$|\n\tABZé я😀'];
  let positive = 0;
  for (const pattern of [...PLAIN, ...TRIED]) {
    for (let n = 0; n < 150; n += 1) {
      // Something near a match, and something random.
      let text = n % 3 === 0 ? '' : sampled(pattern, n, { mixed: n % 2 === 0 });
      for (let edits = random.integer(n % 3 === 1 ? 0 : 1, 3); edits > 0; edits -= 1) {
        const characters = [...text];
        characters.splice(random.integer(0, characters.length), random.integer(0, 2), random.pick(alphabet));
        text = characters.join('');
      }
      const expected = new RegExp(pattern, 'u').test(text);
      if (expected) positive += 1;
      assert.equal(matched(pattern, text), expected, `${pattern} on ${JSON.stringify(text)}`);
    }
  }
  assert.ok(positive > 1000, `${positive} texts matched`);
});

test('what other languages write and mean the same is understood', () => {
  assert.ok(matched('(?i)^hello$', 'HeLLo'));
  assert.ok(!matched('(?i)^[^a]$', 'A'));
  assert.ok(matched('^(?P<name>[a-z]+)$', 'abc'));
  assert.ok(matched('\\A\\d+\\Z', '12') && !matched('\\A\\d+\\z', '12x'));
  assert.ok(matched('^a{,3}$', 'aaa'));
  assert.ok(matched('^a{x}]$', 'a{x}]'), 'a brace that opens no repetition is itself');
});

test('what is not understood is said', () => {
  for (const [pattern, why] of /** @type {[string, RegExp][]} */ ([
    ['(', /ends too early|not closed/],
    ['a)', /too many/],
    ['[z-a]', /out of order/],
    ['a{3,1}', /out of order/],
    ['*a', /nothing before/],
    ['[a', /ends too early/],
    ['\\', /ends too early/],
    ['(?>a)', /not supported/],
    ['a++', /possessive/],
    ['\\Qa', /JavaScript does not have/],
    ['\\u{110000}', /malformed/],
    ['\\2(a)', /group 2/],
    ['\\p{Klingon}', /Unicode property/],
    ['('.repeat(500), /deeper than/],
    ['a'.repeat(10_000), /longer than/],
  ])) {
    assert.throws(
      () => parsePattern(pattern),
      (error) => error instanceof Impossible && why.test(error.message),
      pattern,
    );
  }
});

test('patterns that make backtracking engines hang cost few steps', () => {
  for (const [pattern, text] of /** @type {[string, string][]} */ ([
    ['^(a+)+$', `${'a'.repeat(2000)}!`],
    ['^(a|a)*$', `${'a'.repeat(2000)}!`],
    ['^(a*)*b$', 'a'.repeat(2000)],
    ['(x+x+)+y', 'x'.repeat(2000)],
    ['^(.*a){12}$', 'b'.repeat(500)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(2000)],
  ])) {
    const budget = new Budget(1_000_000);
    assert.equal(matches(parsePattern(pattern), text, budget), false);
    assert.ok(budget.left > 0, pattern);
  }
  assert.throws(() => matches(parsePattern('^(a*)*\\1b$'), 'a'.repeat(500), new Budget(100_000)), /steps/);
  assert.throws(() => matched('(((a{0,30}){0,30}){0,30}){0,30}', 'aaa'), /too large/);
});
