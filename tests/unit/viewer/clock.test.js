import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateText, fullText, tellUtc, tickDate, timeTickTexts } from '../../../viewer/page/clock.js';

// Half an hour beside the others, and a zone with summer time.
const AT = Date.parse('2026-07-02T20:04:05.678Z');

test('moments are told in the reader’s zone, also across its summer time', () => {
  process.env.TZ = 'Asia/Kolkata';
  assert.equal(fullText(AT), '2026-07-03 01:34:05');
  assert.equal(dateText(AT, 'HH:mm:ss.SSS'), '01:34:05.678');
  process.env.TZ = 'Europe/Berlin';
  assert.equal(fullText(AT), '2026-07-02 22:04:05');
  assert.equal(fullText(Date.parse('2026-01-02T20:04:05Z')), '2026-01-02 21:04:05');
  assert.equal(tickDate(AT / 1000).getHours(), 22);
});

test('a page whose text is in UTC has its charts in UTC, too', () => {
  process.env.TZ = 'Asia/Kolkata';
  tellUtc();
  assert.equal(fullText(AT), '2026-07-02 20:04:05');
  assert.deepEqual(timeTickTexts([AT / 1000, AT / 1000 + 60], 60), ['20:04', '20:05']);
  // What ticks are counted from: local time that reads as UTC does.
  assert.deepEqual([tickDate(AT / 1000).getHours(), tickDate(AT / 1000).getMinutes()], [20, 4]);
});
