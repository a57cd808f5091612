/** Passes queries, and nothing else, on to one Prometheus. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { prometheusHeaders } from '../analysis/prometheus-headers.js';
import { Refusal } from './refusal.js';

const TIMEOUT_S = 30;
const MAX_QUERY_CHARACTERS = 8000;
/** Prometheus' own limit, points a series. */
const MAX_POINTS = 11_000;
const MAX_ERROR_CHARACTERS = 300;

/** A Unix time or a number of seconds. */
const NUMBER = /^\d{1,12}(\.\d{1,9})?$/;

/** @type {Record<string, string[]>} what each endpoint takes besides the query: all numbers, all needed */
const PARAMETERS = { query: ['time'], query_range: ['start', 'end', 'step'] };

export class PrometheusProxy {
  #base;
  /** @type {Record<string, string>} */
  #headers;

  /**
   * @param {string} url
   * @param {Record<string, string>} [headers] who asks; by default what the environment says
   * @throws {Error} one line, where it is no URL, or has a user name or a password in it
   */
  constructor(url, headers = prometheusHeaders()) {
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (!parsed || !/^https?:$/.test(parsed.protocol)) {
      throw new Error('PROMETHEUS_URL is no URL; valid: one that begins with http:// or https://');
    }
    const { username, password, origin, pathname } = parsed;
    if (username || password) {
      throw new Error(
        'PROMETHEUS_URL has a user name or a password in it; valid: an address without them, and PROMETHEUS_USERNAME and PROMETHEUS_PASSWORD',
      );
    }
    this.#base = origin + pathname.replace(/\/+$/, '');
    // On one machine packing and unpacking costs more than it saves.
    this.#headers = { 'accept-encoding': 'identity', ...headers };
  }

  /**
   * @param {string} endpoint query or query_range
   * @param {URLSearchParams} given
   * @param {import('node:http').ServerResponse} response
   * @throws {Refusal}
   */
  async answer(endpoint, given, response) {
    const parameters = checked(endpoint, given);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    /** @type {Response} */
    let answer;
    try {
      answer = await fetch(`${this.#base}/api/v1/${endpoint}?${parameters}`, {
        headers: this.#headers,
        redirect: 'error',
        signal: AbortSignal.any([gone.signal, AbortSignal.timeout((TIMEOUT_S + 2) * 1000)]),
      });
    } catch (error) {
      throw new Refusal(502, `Prometheus ${reason(error)}`);
    }
    if (!answer.ok || !answer.body)
      throw new Refusal(answer.ok ? 502 : statusOf(answer), await problem(answer));
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    await pipeline(Readable.fromWeb(/** @type {any} */ (answer.body)), response).catch(() =>
      response.destroy(),
    );
  }
}

/**
 * @param {string} endpoint
 * @param {URLSearchParams} given
 * @returns {URLSearchParams} those that are known, and nothing else
 * @throws {Refusal}
 */
function checked(endpoint, given) {
  const numbers = PARAMETERS[endpoint] ?? [];
  const valid = ['query', ...numbers];
  for (const name of given.keys()) {
    if (!valid.includes(name) || given.getAll(name).length > 1) {
      throw new Refusal(400, `the parameter ${name.slice(0, 40)}: ${valid.join(', ')}, each once, are valid`);
    }
  }
  const query = given.get('query') ?? '';
  if (query === '' || query.length > MAX_QUERY_CHARACTERS) {
    throw new Refusal(
      400,
      `the query has ${query.length} characters; 1 to ${MAX_QUERY_CHARACTERS} are valid`,
    );
  }
  for (const name of numbers) {
    if (!NUMBER.test(given.get(name) ?? '')) throw new Refusal(400, `${name}: a number of seconds is valid`);
  }
  const [start, end, step] = ['start', 'end', 'step'].map((name) => Number(given.get(name)));
  if (endpoint === 'query_range' && !(step && (Number(end) - Number(start)) / step < MAX_POINTS)) {
    throw new Refusal(400, `the step is ${step} s; one that makes fewer than ${MAX_POINTS} points is valid`);
  }
  const known = Object.fromEntries(valid.map((name) => [name, given.get(name) ?? '']));
  return new URLSearchParams({ ...known, timeout: `${TIMEOUT_S}s` });
}

/** @param {Response} answer @returns {number} Prometheus' own where it refuses a query, else that of a bad gateway */
const statusOf = ({ status }) => ([400, 422, 503].includes(status) ? status : 502);

/** @param {Response} answer @returns {Promise<string>} what Prometheus says, in one line */
async function problem(answer) {
  const text = await answer.text().catch(() => '');
  const [line = ''] = errorIn(text).split('\n');
  return `Prometheus answered ${answer.status}: ${line.slice(0, MAX_ERROR_CHARACTERS) || 'nothing'}`;
}

/** @param {string} text */
function errorIn(text) {
  try {
    return String(JSON.parse(text).error);
  } catch {
    return text;
  }
}

/** @param {unknown} error */
function reason(error) {
  if (error instanceof Error && error.name === 'TimeoutError') return `did not answer in ${TIMEOUT_S} s`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = /** @type {NodeJS.ErrnoException} */ (cause)?.code;
  return `can't be reached${code ? ` (${code})` : ''}`;
}
