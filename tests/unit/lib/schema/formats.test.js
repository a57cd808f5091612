import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64, formatOf } from '../../../../lib/schema/formats.js';
import { Random } from '../../../../lib/schema/random.js';
import { compileWithAjv } from './ajv.js';

/** Texts near the edge of each format; what they are judged by is Ajv. @type {Record<string, string[]>} */
const TEXTS = {
  date: [
    '2024-02-29',
    '2023-02-29',
    '1900-02-29',
    '2000-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-4-01',
    '2024-04-31',
    '',
  ],
  'date-time': [
    '2024-01-01T00:00:00Z',
    '2024-01-01t00:00:00z',
    '2024-01-01 00:00:00Z',
    '2024-01-01T00:00:00',
    '2024-01-01T24:00:00Z',
    '2024-01-01T23:59:60Z',
    '2024-01-01T12:59:60Z',
    '2024-01-01T12:00:00.123+05:30',
    '2024-01-01T12:00Z',
    'T12:00:00Z',
  ],
  time: [
    '12:00:00Z',
    '12:00:00+01:00',
    '12:00:00.5-0130',
    '25:00:00Z',
    '12:60:00Z',
    '23:59:60Z',
    '1:00:00Z',
    '12:00:00+24:00',
  ],
  duration: ['P1D', 'PT1H30M', 'P1Y2M3DT4H5M6S', 'P2W', 'P', 'PT', 'P1DT', 'P1H', '1D', 'P1W2D', 'PT1.5H'],
  email: [
    'a@b.co',
    'a.b+c@d-e.org',
    'a@b',
    '@b.co',
    'a..b@c.de',
    '.a@b.co',
    'a@-b.co',
    'a b@c.de',
    "o'k@x.io",
  ],
  hostname: [
    'a',
    'a.b',
    'a.b.',
    '-a',
    'a-',
    'a..b',
    'a_b',
    '1.2.3',
    `${'a'.repeat(63)}.b`,
    `${'a'.repeat(64)}.b`,
    '',
  ],
  ipv4: ['1.2.3.4', '255.255.255.255', '256.1.1.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', ' 1.2.3.4'],
  ipv6: [
    '::',
    '::1',
    '1::',
    '1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::ffff:1.2.3.4',
    '1::2::3',
    '12345::',
    ':1',
    '1:',
    '1:2:3:4:5:6:1.2.3.4',
    'g::',
  ],
  uri: [
    'https://a.b/c?d=e#f',
    'urn:a:b',
    'mailto:a@b.c',
    'https://[::1]:80/',
    'a/b',
    '//a/b',
    'https://a b',
    'http://a/%zz',
    'http://a/%20',
    'http://a/#b#c',
    '1http://a',
    'http://[1',
    '',
  ],
  'uri-reference': ['', 'a', '/a/b', '../a?b#c', '//a', '#', 'a:b', 'a b', '%', '\\a', '[a]'],
  uuid: [
    '123e4567-e89b-42d3-a456-426614174000',
    '123E4567-E89B-42D3-A456-426614174000',
    'urn:uuid:123e4567-e89b-42d3-a456-426614174000',
    '123e4567e89b42d3a456426614174000',
    '123e4567-e89b-42d3-a456-42661417400',
  ],
  'json-pointer': ['', '/', '/a/b', '/a~0b~1c', 'a', '/a~2', '#/a'],
  'relative-json-pointer': ['0', '1/a', '0#', '01', '/a', '2/a~1'],
  byte: ['', 'YQ==', 'YWI=', 'YWJj', 'YQ=', 'YQ', '@@@@'],
};

test('texts are accepted as Ajv accepts them', () => {
  for (const [name, texts] of Object.entries(TEXTS)) {
    const isValid = compileWithAjv({ type: 'string', format: name });
    assert.ok(texts.some(isValid) && !texts.every(isValid), `${name} has texts of both kinds`);
    for (const text of texts)
      assert.equal(formatOf(name)?.accepts(text), isValid(text), `${name}: ${JSON.stringify(text)}`);
  }
});

test('samples of every format, of the length that is asked for, are accepted', () => {
  for (const name of [
    ...Object.keys(TEXTS),
    'idn-email',
    'idn-hostname',
    'iri',
    'iri-reference',
    'uri-template',
    'url',
    'regex',
    'base64',
  ]) {
    const isValid = compileWithAjv({ type: 'string', format: name });
    for (let seed = 0; seed < 60; seed += 1) {
      for (const [min, max] of /** @type {[number, number][]} */ ([
        [0, 8192],
        [30, 60],
        [0, 18],
      ])) {
        const random = new Random(seed);
        const text = formatOf(name)?.sample({ random, attempt: seed % 12, min, max }) ?? '';
        assert.ok(formatOf(name)?.accepts(text) && isValid(text), `${name}: ${text}`);
      }
    }
  }
});

test('a time without offset is accepted: some schemas forbid the offset by a pattern', () => {
  assert.ok(formatOf('time')?.accepts('12:00:00'));
  assert.ok(!formatOf('date-time')?.accepts('2024-01-01T12:00:00'));
});

test('a format that nobody knows means nothing', () => {
  for (const name of ['color', 'constructor', 7, undefined]) assert.equal(formatOf(name), undefined);
});

test('base64', () => {
  for (const text of ['', 'a', 'ab', 'abc', 'hello world']) {
    assert.equal(base64(text), Buffer.from(text).toString('base64'));
  }
});
