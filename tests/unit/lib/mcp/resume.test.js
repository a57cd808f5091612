import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resume, resumePoint } from '../../../../lib/mcp/resume.js';

test('the point to go on from is the last complete event', () => {
  assert.deepEqual(resumePoint('id: a\nretry: 500\ndata: \n\n'), { lastEventId: 'a', retryMs: 500 });
  assert.deepEqual(resumePoint('\ufeffid:a\r\ndata:x\r\n\r\nid: b\r\ndata: cut'), {
    lastEventId: 'a',
    retryMs: null,
  });
  assert.deepEqual(resumePoint('id: a\r\rretry: 1\r\rdata: y\r\r'), { lastEventId: 'a', retryMs: 1 });
  assert.deepEqual(resumePoint('id: a\n\nid\n\n'), { lastEventId: '', retryMs: null });
  assert.deepEqual(resumePoint('id: a\n\nid: b\0c\n\nretry: -5\nretry: x\n\n'), {
    lastEventId: 'a',
    retryMs: null,
  });
  assert.deepEqual(resumePoint(': idle\nidea: 1\n\n'), { lastEventId: '', retryMs: null });
  assert.deepEqual(resumePoint(''), { lastEventId: '', retryMs: null });
});

/** @param {string} body @param {object} [parts] */
const stream = (body, parts) => ({
  status: 200,
  error_code: 0,
  error: '',
  headers: { a: 'b' },
  body,
  ...parts,
});
const cutOff = (/** @type {string | null} */ body) => ({
  status: 0,
  error_code: 1050,
  error: 'timeout',
  headers: {},
  body,
});
const PRIMING = 'id: 1\nretry: 500\ndata: \n\n';

/**
 * Resumes against a list of answers, with a clock of its own.
 *
 * @param {any[]} answers to the GETs
 * @param {string} [body] of the first answer
 */
function play(answers, body = PRIMING) {
  let clock = 0;
  /** @type {[string, number, number][]} last event id, time of the GET, its time limit */
  const gets = [];
  const response = resume(stream(body), {
    hasReply: ({ body: text }) => (text ?? '').includes('REPLY'),
    get: (id, timeoutMs) => {
      gets.push([id, clock, timeoutMs]);
      const answer = answers[Math.min(gets.length, answers.length) - 1];
      if (answer.status === 0) clock += timeoutMs;
      return answer;
    },
    sleep: (ms) => {
      clock += ms;
    },
    now: () => clock,
    deadlineMs: 10_000,
  });
  return { response, gets, clock };
}

test('waits as long as it is told and asks for what came after the last event', () => {
  const { response, gets } = play([stream('id: 2\nretry: 20\ndata: \n\n'), stream('data: REPLY\n\n')]);
  assert.equal(response.body, 'data: REPLY\n\n');
  assert.deepEqual(gets, [
    ['1', 500, 250],
    ['2', 520, 500],
  ]);
});

test('a reply on a stream that stays open counts', () => {
  const { response, gets } = play([cutOff('data: REPLY\n\n')]);
  assert.equal(response.status, 200);
  assert.deepEqual(response.headers, { a: 'b' });
  assert.equal(gets.length, 1);
});

test('an open stream without the reply is asked again, until the time is over', () => {
  const { response, gets, clock } = play([cutOff(null)]);
  assert.deepEqual([response.status, response.error_code], [0, 1050]);
  assert.deepEqual(gets.map(([, , limit]) => limit).slice(0, 4), [250, 500, 1000, 2000]);
  assert.ok(clock <= 10_000);
});

test('the number of reconnections is bounded', () => {
  const { response, gets } = play([stream('retry: 0\n\n')]);
  assert.equal(gets.length, 20);
  assert.equal(response.status, 200);
});

test('a refusal ends it, and a stream without ids is not resumed', () => {
  const refused = { status: 405, error_code: 1405, error: '', headers: {}, body: 'no' };
  assert.equal(play([refused]).response, refused);
  assert.equal(play([refused]).gets.length, 1);
  assert.equal(play([refused], 'data: \n\n').gets.length, 0);
});
