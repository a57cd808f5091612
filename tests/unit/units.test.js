import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  apart,
  bytes,
  counted,
  duration,
  inUnit,
  milliseconds,
  number,
  percent,
} from '../../contract/units.js';

test('figures as people read them', () => {
  const cases = /** @type {[string, string][]} */ ([
    [number(0), '0'],
    [number(0.0012345), '0.00123'],
    [number(12.345), '12.3'],
    [number(99.96), '100'],
    [number(1234.5), '1,235'],
    [number(1_234_567), '1,234,567'],
    [number(null), '-'],
    [number(Number.NaN), '-'],
    [percent(0.0005), '0.05 %'],
    [percent(1), '100 %'],
    [milliseconds(84.96), '85 ms'],
    [bytes(0), '0 B'],
    [bytes(1023), '1,023 B'],
    [bytes(8 * 1024 ** 3), '8 GiB'],
    [bytes(5 * 1024 ** 5), '5,120 TiB'],
    [duration(5.04), '5.04 s'],
    [duration(59.999), '60 s'],
    [duration(130), '2 min 10 s'],
    [duration(86_400), '24 h'],
    [counted(1, 'sample'), '1 sample'],
    [counted(0, 'sample'), '0 samples'],
    [inUnit('ratio', 0.421), '42.1 %'],
    [inUnit('seconds', 0.0123), '12.3 ms'],
    [inUnit('seconds', 1.5), '1.5 s'],
    [inUnit('rate', 12), '12/s'],
    [inUnit('bytes_rate', 2048), '2 KiB/s'],
    [inUnit('count', 7), '7'],
    [inUnit('parsecs', 7), '7'],
    [inUnit('ratio', null), '-'],
  ]);
  for (const [got, expected] of cases) assert.equal(got, expected);
});

test('two figures that differ never look the same', () => {
  assert.deepEqual(apart(percent, 0.9496, 0.95), ['94.96 %', '95 %']);
  assert.deepEqual(apart(milliseconds, 85, 85), ['85 ms', '85 ms']);
});
