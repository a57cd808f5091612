import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtIn, rateInterval, substitute, substituteText } from '../../../viewer/page/substitute.js';

const RANGE = { fromS: 1000, toS: 1900 };

test('the rate interval holds four scrapes, or a step and one scrape more', () => {
  assert.equal(rateInterval(2), 8);
  assert.equal(rateInterval(5), 8);
  assert.equal(rateInterval(6), 8);
  assert.equal(rateInterval(10), 12);
});

test('the variables that every query has', () => {
  assert.deepEqual(builtIn(RANGE, 5), {
    __interval: '5s',
    __interval_ms: '5000',
    __rate_interval: '8s',
    __rate_interval_ms: '8000',
    __range: '900s',
    __range_s: '900',
    __range_ms: '900000',
    __from: '1000000',
    __to: '1900000',
  });
});

test('with and without braces, the longest name', () => {
  const values = { ...builtIn(RANGE, 2), testid: 'a', testid2: 'b' };
  assert.equal(substitute('x{testid="$testid"}[$__rate_interval]', values), 'x{testid="a"}[8s]');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Grafana's template
  assert.equal(substitute('${testid}_$testid2 $__interval_ms', values), 'a_b 2000');
});

test('what label_replace calls $1 stays', () => {
  assert.equal(
    substitute('label_replace(x, "a", "$1", "b", "(.*)")', {}),
    'label_replace(x, "a", "$1", "b", "(.*)")',
  );
});

test('a value can not leave its string', () => {
  assert.equal(substitute('x{a="$v"}', { v: 'b"} or vector(1) #' }), 'x{a="b\\"} or vector(1) #"}');
  assert.equal(substitute('x{a="$v"}', { v: '\\' }), 'x{a="\\\\"}');
});

test('formats', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Grafana's template
  assert.equal(substitute('${v:regex} ${v:raw}', { v: 'a.b' }), 'a\\.b a.b');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Grafana's template
  assert.throws(() => substitute('${v:csv}', { v: '' }), /valid formats are raw and regex/);
});

test('a variable without a value is an error that names it', () => {
  assert.throws(
    () => substitute('rate(x[$__rate])', { __range: '1s' }),
    /the query has \$__rate, known are \$__range/,
  );
});

test('an empty value is one', () => {
  assert.equal(substitute('x{server=~"$server|"}', { server: '' }), 'x{server=~"|"}');
});

test('in a title what is not known stays', () => {
  assert.equal(
    substituteText('Latency of $operation, $5', { operation: 'get_user' }),
    'Latency of get_user, $5',
  );
});
