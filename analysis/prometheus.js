import { setTimeout as sleep } from 'node:timers/promises';
import { cleanText } from './clean-text.js';
import { prometheusHeaders } from './prometheus-headers.js';
import { REMOTE_WRITE_HEADERS, writeRequest } from './remote-write.js';

/** Prometheus refuses a range query of more than 11,000 points a series. */
const MAX_POINTS = 10_000;

/** Prometheus could not be asked or did not answer; the message is one plain line. */
export class PrometheusError extends Error {
  /** @param {string} message made one line: it may hold what was answered */
  constructor(message) {
    super(cleanText(message, []));
  }
}

/**
 * @typedef {{labels: Record<string, string>, points: [seconds: number, value: number][]}} Series finite points only
 *
 * @typedef {object} Sample
 * @property {Record<string, string>} labels
 * @property {number} value NaN where it is a histogram
 * @property {{count: number, sum: number} | null} histogram
 */

/** Prometheus' HTTP API, the few calls that the analysis needs. */
export class Prometheus {
  #base;
  #headers;
  #timeoutMs;
  #tries;
  #pauseMs;

  /**
   * @param {string} url for example http://127.0.0.1:9090
   * @param {{timeoutMs?: number, tries?: number, pauseMs?: number, headers?: Record<string, string>}} [options] limits of one
   *   request, and what each says about who asks; by default what the environment says
   */
  constructor(url, { timeoutMs = 10_000, tries = 3, pauseMs = 500, headers = prometheusHeaders() } = {}) {
    this.#headers = headers;
    this.#base = url.replace(/\/+$/, '');
    this.#timeoutMs = timeoutMs;
    this.#tries = tries;
    this.#pauseMs = pauseMs;
  }

  /**
   * @param {string} query PromQL
   * @param {number} startS Unix seconds
   * @param {number} endS
   * @param {number} stepS
   * @returns {Promise<Series[]>} sorted by their labels
   * @throws {PrometheusError}
   */
  async queryRange(query, startS, endS, stepS) {
    /** @type {Map<string, Series>} */
    const byLabels = new Map();
    for (let from = startS; from <= endS; from += MAX_POINTS * stepS) {
      const to = Math.min(endS, from + (MAX_POINTS - 1) * stepS);
      const data = await this.#get('query_range', {
        query,
        start: from.toFixed(3),
        end: to.toFixed(3),
        step: String(stepS),
      });
      for (const { metric, values } of matrix(data)) {
        const key = JSON.stringify(Object.entries(metric).sort());
        const series = byLabels.get(key) ?? { labels: metric, points: [] };
        series.points.push(...values);
        byLabels.set(key, series);
      }
    }
    return [...byLabels.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, series]) => series);
  }

  /**
   * @param {string} query a range selector, for example `up[10s]`
   * @param {number} timeS Unix seconds
   * @returns {Promise<number | null>} the time of the newest raw sample that it holds
   * @throws {PrometheusError}
   */
  async newestSample(query, timeS) {
    const data = await this.#get('query', { query, time: timeS.toFixed(3) });
    const times = matrix(data).flatMap(({ values }) => values.map(([time]) => time));
    return times.length > 0 ? Math.max(...times) : null;
  }

  /**
   * @param {string} query PromQL
   * @param {number} timeS Unix seconds
   * @returns {Promise<Sample[]>}
   * @throws {PrometheusError}
   */
  async query(query, timeS) {
    const data = await this.#get('query', { query, time: timeS.toFixed(3) });
    if (data?.resultType !== 'vector' || !Array.isArray(data.result)) throw notA('vector');
    return data.result.map((/** @type {any} */ one) => {
      const { metric, value, histogram } = one ?? {};
      if (!isLabels(metric) || !(histogram ? Array.isArray(histogram) : isPoint(value))) throw notA('vector');
      return {
        labels: metric,
        value: histogram ? Number.NaN : Number(value[1]),
        histogram: histogram ? toHistogram(histogram[1]) : null,
      };
    });
  }

  /** @returns {Promise<{name: string, labels: Record<string, string>}[]>} what is recorded, with the labels that rules add @throws {PrometheusError} */
  async recordingRules() {
    const data = await this.#get('rules', { type: 'record' });
    if (!Array.isArray(data?.groups)) throw notA('list of rules');
    return data.groups.flatMap((/** @type {any} */ group) => {
      if (!Array.isArray(group?.rules)) throw notA('list of rules');
      return group.rules.map((/** @type {any} */ rule) => {
        const { name, labels = {} } = rule ?? {};
        if (typeof name !== 'string' || !isLabels(labels)) throw notA('list of rules');
        return { name, labels };
      });
    });
  }

  /**
   * Writes samples by remote write. Writing a sample a second time changes nothing. If Prometheus refuses one sample, for example
   * because it is too old, it keeps none of them.
   *
   * @param {import('./remote-write.js').GaugeSample[]} samples
   * @returns {Promise<void>}
   * @throws {PrometheusError}
   */
  async write(samples) {
    await this.#ask('write', { method: 'POST', headers: REMOTE_WRITE_HEADERS, body: writeRequest(samples) });
  }

  /**
   * @param {string} path
   * @param {Record<string, string>} parameters
   * @returns {Promise<any>} the answer's data
   */
  #get(path, parameters) {
    return this.#ask(`${path}?${new URLSearchParams(parameters)}`, {}, (body) => body?.status === 'success');
  }

  /**
   * @param {string} path
   * @param {RequestInit} request
   * @param {(body: any) => boolean} [good] of an answer with a status that says so
   * @returns {Promise<any>} the answer's data, where it has some
   */
  async #ask(path, request, good = () => true) {
    let problem = '';
    for (let attempt = 1; attempt <= this.#tries; attempt++) {
      if (attempt > 1) await sleep(this.#pauseMs);
      try {
        const response = await fetch(`${this.#base}/api/v1/${path}`, {
          ...request,
          headers: { ...this.#headers, ...request.headers },
          signal: AbortSignal.timeout(this.#timeoutMs),
        });
        const text = await response.text();
        const body = parse(text);
        if (response.ok && good(body)) return body?.data;
        problem = `answered ${response.status}: ${body?.error ?? (text.trim().slice(0, 100) || 'nothing')}`;
        // What it understood and refused it will refuse again.
        if (response.status < 500) break;
      } catch (error) {
        problem = describe(error, this.#timeoutMs);
      }
    }
    throw new PrometheusError(`Prometheus at ${this.#base} ${problem}`);
  }
}

/** @param {string} text @returns {any} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {unknown} error @param {number} timeoutMs @returns {string} */
function describe(error, timeoutMs) {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `did not answer in ${timeoutMs / 1000} s`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = /** @type {NodeJS.ErrnoException} */ (cause)?.code;
  return `can't be reached (${code ?? (cause instanceof Error ? cause.message : String(cause))})`;
}

/**
 * @param {any} data
 * @returns {{metric: Record<string, string>, values: [number, number][]}[]}
 * @throws {PrometheusError} where it is no matrix
 */
function matrix(data) {
  if (data?.resultType !== 'matrix' || !Array.isArray(data.result)) throw notA('matrix');
  return data.result.map((/** @type {any} */ one) => {
    const { metric, values = [] } = one ?? {};
    if (!isLabels(metric) || !Array.isArray(values) || !values.every(isPoint)) throw notA('matrix');
    return {
      metric,
      values: values
        .map(([time, value]) => [time, Number(value)])
        .filter((/** @type {number[]} */ [, value = Number.NaN]) => Math.abs(value) < GREATEST),
    };
  });
}

/** @param {string} what */
const notA = (what) => new PrometheusError(`Prometheus answered something else than a ${what}`);

/** @param {unknown} metric @returns {boolean} */
const isLabels = (metric) =>
  typeof metric === 'object' &&
  metric !== null &&
  !Array.isArray(metric) &&
  Object.values(metric).every((value) => typeof value === 'string');

/** @param {unknown} point @returns {boolean} a time, and a value as text: also `NaN` and `+Inf` */
const isPoint = (point) => Array.isArray(point) && Number.isFinite(point[0]) && typeof point[1] === 'string';

/** Nothing is so much, and a few thousand of what is less can be added up. */
const GREATEST = 1e300;

/**
 * @param {any} native `{count, sum, buckets}`, numbers as texts
 * @returns {{count: number, sum: number}}
 * @throws {PrometheusError} where it is none
 */
function toHistogram(native) {
  const [count, sum] = [Number.parseFloat(native?.count), Number.parseFloat(native?.sum)];
  if (!(Number.isFinite(count) && count >= 0 && Number.isFinite(sum))) throw notA('histogram');
  return { count, sum };
}

/** A scrape is at most this much later than what it counted. */
const SCRAPE_S = 2;

/**
 * @param {Prometheus | null} prometheus
 * @param {string} selector of counters, for example `database_queries_total{job="target"}`
 * @param {{start: string | null, end: string | null}} phase
 * @returns {Promise<number | null>} what they counted, all together, from the phase's start to its end: what happens in the two
 *   seconds around either is in or out. null: not known. A counter that began anew meanwhile counts from 0
 */
export async function increaseOf(prometheus, selector, { start, end }) {
  if (!prometheus || !start || !end) return null;
  const [fromS, toS] = [Date.parse(start) / 1000, Date.parse(end) / 1000 + SCRAPE_S];
  try {
    const series = await prometheus.queryRange(selector, fromS, toS, SCRAPE_S);
    // One look tells of no change; more of them fail where the server is too busy to be looked at.
    if (series.every(({ points }) => points.length < 2)) return null;
    // No counter has less than nothing.
    if (series.some(({ points }) => points.some(([, value]) => value < 0))) return null;
    return series.reduce((sum, { points }) => sum + risen(points.map(([, value]) => value)), 0);
  } catch (error) {
    if (error instanceof PrometheusError) return null;
    throw error;
  }
}

/** @param {number[]} values of a counter, in time */
function risen(values) {
  let sum = 0;
  let before = values[0] ?? 0;
  for (const value of values) {
    sum += value >= before ? value - before : value;
    before = value;
  }
  return sum;
}
