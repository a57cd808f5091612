/**
 * Where panels get their data: here the viewer's own server, which asks Prometheus. A report with its data inside has
 * another object with the same two functions.
 *
 * @typedef {object} DataSource
 * @property {(query: {key: string, expr: string, timeS: number, signal?: AbortSignal}) => Promise<import('./prometheus-answer.js').Answer>} query
 * @property {(query: {key: string, expr: string, range: import('./time-range.js').Range, stepS: number, signal?: AbortSignal}) => Promise<import('./prometheus-answer.js').Answer>} queryRange
 *   key: who asks; what is asked again under a key is fetched only as far as it is new
 */
import { fromInstant, fromRange, gridOf, joined } from './prometheus-answer.js';
import { RequestQueue } from './request-queue.js';

/** A browser opens no more connections to one host; what waits, waits here, where it can be given up. */
const AT_ONCE = 6;

/** What arrives late: a push of k6, and a recording rule's evaluation after it. */
const LATE_S = 30;

/** What such a query said of the past changes with the present. */
const LOOKS_AHEAD = /@|\boffset\s+-/;

/** @returns {DataSource} */
export function serverDataSource() {
  const queue = new RequestQueue(AT_ONCE);
  /** @type {Map<string, {expr: string, answer: import('./prometheus-answer.js').Answer}>} */
  const known = new Map();

  return {
    async query({ expr, timeS, signal }) {
      const parameters = { query: expr, time: timeS.toFixed(3) };
      return fromInstant(await queue.run(() => get('query', parameters, signal)), timeS);
    },

    async queryRange({ key, expr, range, stepS, signal }) {
      const before = known.get(key);
      const canJoin = before?.expr === expr && !LOOKS_AHEAD.test(expr);
      const fromS = before && canJoin ? newFrom(before.answer.grid, range, stepS) : null;
      const wanted = { fromS: fromS ?? range.fromS, toS: range.toS };
      const parameters = {
        query: expr,
        start: wanted.fromS.toFixed(3),
        end: wanted.toS.toFixed(3),
        step: String(stepS),
      };
      const data = await queue.run(() => get('query_range', parameters, signal));
      const fetched = fromRange(data, gridOf(wanted, stepS));
      const answer = before && fromS !== null ? joined(before.answer, fetched, range.fromS) : fetched;
      known.set(key, { expr, answer });
      return answer;
    },
  };
}

/**
 * @param {import('./prometheus-answer.js').Grid} grid of what is known
 * @param {import('./time-range.js').Range} range that is wanted
 * @param {number} stepS
 * @returns {number | null} from when on it has to be fetched; null where what is known is of no use
 */
export function newFrom({ startS, stepS: knownStepS, count }, { fromS, toS }, stepS) {
  const endS = startS + (count - 1) * knownStepS;
  const overlapS = Math.ceil(LATE_S / stepS) * stepS;
  const useful = stepS === knownStepS && fromS >= startS && endS - overlapS > fromS && toS >= endS;
  return useful ? endS - overlapS : null;
}

/**
 * @param {'query' | 'query_range'} path
 * @param {Record<string, string>} parameters
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} the answer's data
 * @throws {Error} what Prometheus, or the viewer's server, says
 */
async function get(path, parameters, signal) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(`/api/v1/${path}?${new URLSearchParams(parameters)}`, { signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error("the viewer's server does not answer: is make dashboards still running?");
  }
  /** @type {any} */
  const body = await response.json().catch(() => null);
  if (body?.status === 'success') return body.data;
  throw new Error(body?.error ?? `the viewer's server answered ${response.status}`);
}
