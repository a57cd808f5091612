/** Why streams were not held, and the time that those which were cut have in common. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lifetimeOf, sortEnds } from '../../../scenarios/streams/stream-ends.ts';

/** @param {Partial<import('../../../analysis/collect/streams.ts').StreamEnd>} [own] */
const end = (own) => ({
  asked: 0,
  held: 0,
  openedMs: 10,
  ageMs: 12_500,
  silentMs: 12_490,
  messages: 0,
  kind: 'protocol',
  status: 200,
  ...own,
});
const never = { openedMs: undefined };
/** @param {number} count @param {(index: number) => Parameters<typeof end>[0]} own */
const ends = (count, own) => Array.from({ length: count }, (_, index) => end(own(index)));

for (const [what, own, kind] of /** @type {const} */ ([
  ['an answer that is no stream', { ...never, status: 405, kind: 'http_4xx', ageMs: 3 }, 'refused'],
  ['an error that comes late', { ...never, status: 504, kind: 'http_5xx', ageMs: 30_000 }, 'refused'],
  ['JSON-RPC’s error', { ...never, kind: 'jsonrpc', ageMs: 3 }, 'refused'],
  ['no answer in time', { ...never, status: 0, kind: 'timeout' }, 'silent'],
  ['a connection refused', { ...never, status: 0, kind: 'connect', ageMs: 1 }, 'silent'],
  ['a connection that is closed later', { ...never, status: 0, kind: 'connect' }, 'cut'],
  ['an end right after the beginning', { ageMs: 12, kind: undefined }, 'declined'],
  ['an end later', {}, 'cut'],
]))
  test(`${what}: ${kind}`, () => {
    assert.equal(sortEnds([end(own)])[kind].length, 1);
  });

test('streams that end after the same silence: a limit on it; where nothing ever came it may be one on age', () => {
  const mixed = lifetimeOf(ends(10, (index) => ({ ageMs: 12_500 + 1000 * index, silentMs: 12_500 + index })));
  assert.deepEqual([mixed?.kind, mixed?.isUnsure, mixed?.count], ['silence', false, 10]);
  assert.equal(lifetimeOf(ends(10, () => ({})))?.isUnsure, true);
});

test('streams that end at the same age, with bytes until then: a limit on it', () => {
  const found = lifetimeOf(ends(10, (index) => ({ ageMs: 125_000 + index, silentMs: 2000 * index })));
  assert.equal(found?.kind, 'age');
  assert.ok(Math.abs((found?.ms[1] ?? 0) - 125_000) < 10);
});

test('comments in a steady rhythm: the silence after the last of them is no limit', () => {
  const found = lifetimeOf(ends(10, (index) => ({ ageMs: 125_000 + index, silentMs: 5000 + index })));
  assert.equal(found?.kind, 'age');
});

test('streams that never began and were cut after the same time: the headers were withheld', () => {
  const found = lifetimeOf(ends(5, () => ({ ...never, status: 0, kind: 'connect' })));
  assert.deepEqual([found?.isWithheld, found?.ms[1]], [true, 12_490]);
});

test('few streams, times that differ, or a tenth of them alike: no limit', () => {
  assert.equal(lifetimeOf(ends(4, () => ({}))), null);
  const apart = (/** @type {number} */ index) => ({
    ageMs: 2000 * (index + 1),
    silentMs: 2000 * (index + 1),
  });
  assert.equal(lifetimeOf(ends(20, apart)), null);
  assert.equal(lifetimeOf(ends(20, (index) => (index < 4 ? {} : apart(index)))), null);
});
