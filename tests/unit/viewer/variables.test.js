import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  customOptions,
  filledQuery,
  optionsOf,
  queryOf,
  sampleText,
  stillChosen,
} from '../../../viewer/page/variables.js';

/** @param {Record<string, string>[]} all */
const answer = (...all) => ({
  grid: { startS: 1700, stepS: 1, count: 1 },
  series: all.map((labels, index) => ({ labels, values: [index] })),
});
/** @param {{value: string}[]} options */
const values = (options) => options.map(({ value }) => value);

test('the query of a query variable, from text or from its object', () => {
  assert.equal(queryOf({ type: 'query', query: { query: 'query_result(sort(up))' } }), 'sort(up)');
  assert.equal(queryOf({ type: 'query', query: 'query_result(up)' }), 'up');
  assert.equal(queryOf({ type: 'query', query: { query: 'label_values(up, job)' } }), null);
  assert.equal(queryOf({ type: 'custom', query: 'a,b' }), null);
});

test('a query may name the variables before it', () => {
  const variable = { type: 'query', query: { query: 'query_result(x{testid="$testid"}[$__range])' } };
  assert.equal(filledQuery(variable, { testid: 'a', __range: '900s' }), 'x{testid="a"}[900s]');
});

test('a sample is the text that Grafana makes of it', () => {
  assert.equal(sampleText({ __name__: 'up', job: 'a', b: 'c' }, 1.5, 1700), 'up{job="a",b="c"} 1.5 1700000');
  assert.equal(sampleText({}, -3, 1700), '{} -3 1700000');
});

test('the first group is the choice, each once, in the order of the answer', () => {
  const series = answer({ testid: 'b' }, { testid: 'a' }, { testid: 'b', x: '1' }, { other: 'c' });
  assert.deepEqual(values(optionsOf({ regex: '/testid="([^"]+)"/' }, series)), ['b', 'a']);
  assert.deepEqual(values(optionsOf({ regex: '/^\\{\\} (-?\\d+)/' }, answer({}))), ['0']);
  assert.deepEqual(values(optionsOf({ regex: '/server="([^"]*)"/' }, answer({ server: '' }))), ['']);
});

test('named groups are text and value', () => {
  const regex = '/a="(?<text>[^"]+)",b="(?<value>[^"]+)"/';
  assert.deepEqual(optionsOf({ regex }, answer({ a: 'shown', b: 'used' })), [
    { text: 'shown', value: 'used' },
  ]);
});

test('order by name and by number', () => {
  const series = answer({ a: 'x10' }, { a: 'x9' });
  const regex = '/a="([^"]+)"/';
  assert.deepEqual(values(optionsOf({ regex, sort: 1 }, series)), ['x10', 'x9']);
  assert.deepEqual(values(optionsOf({ regex, sort: 3 }, series)), ['x9', 'x10']);
  assert.deepEqual(values(optionsOf({ regex, sort: 4 }, series)), ['x10', 'x9']);
});

test('custom values', () => {
  assert.deepEqual(customOptions({ query: 'a, b : 2,c\\,d' }), [
    { text: 'a', value: 'a' },
    { text: 'b', value: '2' },
    { text: 'c,d', value: 'c,d' },
  ]);
});

test('a choice stays while it is one, or while there is none', () => {
  const options = [{ text: 'a', value: 'a' }];
  assert.equal(stillChosen(options, 'a'), 'a');
  assert.equal(stillChosen(options, 'b'), 'a');
  assert.equal(stillChosen([], 'b'), 'b');
  assert.equal(stillChosen([], undefined), '');
});
