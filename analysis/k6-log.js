import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * @typedef {object} K6Log
 * @property {{code: 2 | 3, message: string} | null} abort the test ended itself: bad configuration (2) or target (3)
 * @property {string | null} lastLine what k6 said last, the best there is when it died
 * @property {number[]} failedPushesS Unix times at which k6 could not write to Prometheus
 * @property {Record<string, string>} samples operation and text of the first `failure <kind> of <operation>: <text>` line of each kind
 */

const FAILED_PUSH = 'Failed to send the time series data to the endpoint';

/**
 * Reads k6's log, in k6's `raw` or `logfmt` format, line by line: after a day of load it may be large.
 *
 * @param {string} path
 * @returns {Promise<K6Log>} empty where there is no log or it can't be read
 */
export async function readK6Log(path) {
  /** @type {K6Log} */
  const log = { abort: null, lastLine: null, failedPushesS: [], samples: {} };
  const stream = createReadStream(path, 'utf8');
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      const message = messageOf(line.trim());
      if (message === FAILED_PUSH) log.failedPushesS.push(...timeOf(line));
      take(log, message);
    }
  } catch {
    // No log is no reason to lose the figures: what was read so far stands.
  } finally {
    stream.destroy();
  }
  return log;
}

/** @param {K6Log} log @param {string} message */
function take(log, message) {
  const [, kind, text] = /^failure ([a-z0-9_]{1,40}) of (.+)$/.exec(message) ?? [];
  if (kind && text) {
    log.samples[kind] ??= text;
    return;
  }
  // The last words of an exception are its message, not where it was thrown.
  if (message === '' || /^at\s/.test(message)) return;
  log.lastLine = message;
  const [, code, reason] = /^test aborted: exit ([23]): (.+)$/.exec(message) ?? [];
  if (code && reason && !log.abort) log.abort = { code: code === '2' ? 2 : 3, message: reason };
}

/** @param {string} line in logfmt @returns {number[]} Unix seconds; [] of a line that does not say when it was */
function timeOf(line) {
  const ms = Date.parse(/^time="?([^"\s]+)/.exec(line.trim())?.[1] ?? '');
  return Number.isFinite(ms) ? [ms / 1000] : [];
}

/** @param {string} line @returns {string} the message of a logfmt line, or the whole of a raw one */
function messageOf(line) {
  const [, quoted, bare] = /^time=.* msg=(?:("(?:[^"\\]|\\.)*")|(\S+))/.exec(line) ?? [];
  if (quoted) {
    try {
      return JSON.parse(quoted);
    } catch {
      return line;
    }
  }
  return bare ?? line;
}
