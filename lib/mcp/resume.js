/**
 * An SSE answer that the server closed before the reply came (legacy era): the client waits as long as the stream's
 * `retry:` says and asks by GET, with the id of the last event, for what followed it.
 */

/** @typedef {import('./answer.js').HttpResponse} HttpResponse */

/** Where a server says nothing, as the official SDKs do. */
const DEFAULT_RETRY_MS = 1000;
const MAX_RECONNECTIONS = 20;
/**
 * k6 hands out a stream's text when the stream ends, and some servers leave a resumed one open after the reply. So a
 * GET is cut off after this time, doubled each time, and what came till then is looked through.
 */
const FIRST_WAIT_MS = 250;

/**
 * @param {string} body of an event stream
 * @returns {{lastEventId: string, retryMs: number | null}} of its last complete event; '' and null where it says none
 */
export const resumePoint = (body) => {
  let lastEventId = '';
  /** @type {number | null} */
  let retryMs = null;
  let id = '';
  for (const line of body.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    const [, field = '', value = ''] = /^(id|retry)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'id' && !value.includes('\0')) id = value;
    if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
    if (line === '') lastEventId = id;
  }
  return { lastEventId, retryMs };
};

/**
 * @param {HttpResponse} first the answer to the POST, without the reply
 * @param {object} how
 * @param {(response: HttpResponse) => boolean} how.hasReply
 * @param {(lastEventId: string, timeoutMs: number) => HttpResponse} how.get
 * @param {(ms: number) => void} how.sleep
 * @param {() => number} how.now milliseconds
 * @param {number} how.deadlineMs by `now`, for all of it
 * @returns {HttpResponse} the answer with the reply, or the one that says why there is none
 */
export const resume = (first, { hasReply, get, sleep, now, deadlineMs }) => {
  let last = first;
  let { lastEventId, retryMs } = resumePoint(first.body ?? '');
  let waitMs = FIRST_WAIT_MS;
  for (let tries = 0; tries < MAX_RECONNECTIONS && lastEventId !== ''; tries += 1) {
    const pauseMs = retryMs ?? DEFAULT_RETRY_MS;
    if (now() + pauseMs >= deadlineMs) {
      return {
        ...last,
        status: 0,
        error_code: 1050,
        error: 'no reply on the resumed stream in time',
        body: null,
      };
    }
    sleep(pauseMs);
    const response = get(lastEventId, Math.min(waitMs, deadlineMs - now()));
    const cutOff = response.status === 0 && response.error_code === 1050;
    // What came of a stream that was cut off came well: only its end did not.
    last = cutOff ? { ...response, status: 200, headers: first.headers } : response;
    if (last.status !== 200 || hasReply(last)) return last;
    const point = resumePoint(last.body ?? '');
    lastEventId = point.lastEventId || lastEventId;
    retryMs = point.retryMs ?? retryMs;
    waitMs *= 2;
  }
  return last;
};
