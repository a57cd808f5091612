import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  format,
  isKnownUnit,
  logarithmicStart,
  sparseTickTexts,
  tickTexts,
} from '../../../viewer/page/units.js';

/** @param {string | undefined} unit @param {[number, string][]} cases */
function formats(unit, cases) {
  for (const [value, text] of cases) assert.equal(format(value, unit), text, `${value} ${unit}`);
}

test('a number has about three digits', () => {
  formats('none', [
    [0, '0'],
    [5, '5'],
    [0.123456, '0.123'],
    [1.23456, '1.23'],
    [12.3456, '12.3'],
    [123.456, '123'],
    [1234.5, '1235'],
    [0.5, '0.500'],
    [2, '2'],
  ]);
});

test('seconds are told in what they are read in', () => {
  formats('s', [
    [0, '0 s'],
    [0.000_000_05, '50 ns'],
    [0.000_25, '250 µs'],
    [0.0123, '12.3 ms'],
    [0.05, '50 ms'],
    [1, '1 s'],
    [1.5, '1.50 s'],
    [59.96, '60.0 s'],
    [90, '1.50 min'],
    [7200, '2 hours'],
    [3600, '1 hour'],
    [172_800, '2 days'],
  ]);
});

test('milliseconds go up, and not below themselves', () => {
  formats('ms', [
    [0.5, '0.500 ms'],
    [250, '250 ms'],
    [1500, '1.50 s'],
    [120_000, '2 min'],
  ]);
});

test('bytes in steps of 1024, rates of bytes in steps of 1000', () => {
  formats('bytes', [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1_610_612_736, '1.50 GiB'],
  ]);
  formats('Bps', [
    [999, '999 B/s'],
    [1500, '1.50 kB/s'],
    [2_000_000, '2 MB/s'],
  ]);
});

test('counts and shares', () => {
  formats('short', [
    [999, '999'],
    [1000, '1 K'],
    [1650, '1.65 K'],
    [2_000_000, '2 Mil'],
  ]);
  formats('reqps', [
    [5.375, '5.38 req/s'],
    [12_000, '12 K req/s'],
  ]);
  formats('ops', [[15_000, '15 K ops/s']]);
  formats('iops', [[3, '3 io/s']]);
  formats('percentunit', [
    [0.137, '13.7%'],
    [1, '100%'],
    [0.07, '7%'],
    [0.000_152, '0.0152%'],
  ]);
  formats('percent', [[42, '42%']]);
});

test('durations in words, with as many parts as decimals say', () => {
  assert.equal(format(3661, 'dtdurations'), '1 hour, 1 minute');
  assert.equal(format(3661, 'dtdurations', 2), '1 hour, 1 minute, 1 second');
  assert.equal(format(0, 'dtdurations'), '0 seconds');
});

test('times in the form that the unit says', () => {
  const noon = new Date(2026, 0, 2, 12, 34, 56).getTime();
  assert.equal(format(noon, 'time:HH:mm:ss'), '12:34:56');
  assert.equal(format(noon, 'dateTimeAsIso'), '2026-01-02 12:34:56');
});

test('decimals that are given hold', () => {
  assert.equal(format(0.12345, 'percentunit', 2), '12.35%');
  assert.equal(format(1, 's', 1), '1.0 s');
  assert.equal(format(-0.0001, 'none', 2), '0.00');
});

test('what is no number is said', () => {
  assert.equal(format(null, 's'), '');
  assert.equal(format(Number.NaN, 's'), 'NaN s');
  assert.equal(format(Number.POSITIVE_INFINITY, 'reqps'), '∞ req/s');
});

test('units that are not known are found, and shown as they are', () => {
  assert.ok(isKnownUnit('s'));
  assert.ok(isKnownUnit('time:HH:mm'));
  assert.ok(isKnownUnit('suffix:rows'));
  assert.ok(!isKnownUnit('furlongs'));
  assert.equal(format(3, 'furlongs'), '3 furlongs');
  assert.equal(format(3, 'suffix:rows'), '3 rows');
});

test('the ticks of an axis have as many decimals as tell them apart', () => {
  assert.deepEqual(tickTexts([0, 0.5, 1, 1.5], 's'), ['0 s', '500 ms', '1.0 s', '1.5 s']);
  assert.deepEqual(tickTexts([0, 0.2, 0.4], 'percentunit'), ['0%', '20%', '40%']);
  assert.deepEqual(tickTexts([0, 0.025, 0.05], 'percentunit'), ['0%', '2.5%', '5.0%']);
  assert.deepEqual(tickTexts([0, 1500, 3000], 'short'), ['0', '1.5 K', '3.0 K']);
  assert.deepEqual(sparseTickTexts([0.01, null, 0.1], 's'), ['10 ms', null, '100 ms']);
});

test('a logarithmic axis begins at one digit', () => {
  for (const [least, start] of [
    [0.0253, 0.02],
    [0.001_64, 0.001],
    [0.3, 0.3],
    [99, 90],
  ]) {
    assert.equal(logarithmicStart(Number(least)), start);
  }
});
