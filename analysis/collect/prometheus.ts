import { setTimeout as sleep } from 'node:timers/promises';
import { cleanText } from '../clean-text.ts';
import { prometheusHeaders } from './prometheus-headers.ts';
import { type GaugeSample, REMOTE_WRITE_HEADERS, writeRequest } from './remote-write.ts';

/** Prometheus rejects range queries with more than 11,000 points per series. */
const MAX_POINTS = 10_000;

// biome-ignore lint/suspicious/noExplicitAny: checked where it is read.
type Answered = any;

/** Prometheus could not be reached or returned an error; the message is a single plain line. */
export class PrometheusError extends Error {
  /** @param message reduced to one line, because it may contain parts of the response */
  constructor(message: string) {
    super(cleanText(message, []));
  }
}

/** Finite points only. */
export type Series = { labels: Record<string, string>; points: [seconds: number, value: number][] };

interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** The calls of Prometheus' HTTP API that the analysis needs. */
export class Prometheus {
  #base;
  #headers;
  #timeoutMs;
  #tries;
  #pauseMs;

  /**
   * @param url for example http://127.0.0.1:9090
   * @param options limits of a request and its headers; by default from the environment
   */
  constructor(
    url: string,
    {
      timeoutMs = 10_000,
      tries = 3,
      pauseMs = 500,
      headers = prometheusHeaders(),
    }: { timeoutMs?: number; tries?: number; pauseMs?: number; headers?: Record<string, string> } = {},
  ) {
    this.#headers = headers;
    this.#base = url.replace(/\/+$/, '');
    this.#timeoutMs = timeoutMs;
    this.#tries = tries;
    this.#pauseMs = pauseMs;
  }

  /**
   * @param query PromQL
   * @param startS Unix seconds
   * @returns series sorted by their labels
   * @throws {PrometheusError}
   */
  async queryRange(query: string, startS: number, endS: number, stepS: number): Promise<Series[]> {
    const byLabels: Map<string, Series> = new Map();
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
   * @param query range selector, for example `up[10s]`
   * @param timeS Unix seconds
   * @returns the time of the newest raw sample in the range
   * @throws {PrometheusError}
   */
  async newestSample(query: string, timeS: number): Promise<number | null> {
    const data = await this.#get('query', { query, time: timeS.toFixed(3) });
    const times = matrix(data).flatMap(({ values }) => values.map(([time]) => time));
    return times.length > 0 ? Math.max(...times) : null;
  }

  /** @param query PromQL @param timeS Unix seconds @throws {PrometheusError} */
  async query(query: string, timeS: number): Promise<Sample[]> {
    const data = await this.#get('query', { query, time: timeS.toFixed(3) });
    if (data?.resultType !== 'vector' || !Array.isArray(data.result)) throw notA('vector');
    return data.result.map((one: Answered) => {
      const { metric, value } = one ?? {};
      if (!isLabels(metric) || !isPoint(value)) throw notA('vector');
      return { labels: metric, value: Number(value[1]) };
    });
  }

  /** @returns the recording rules with their labels @throws {PrometheusError} */
  async recordingRules(): Promise<{ name: string; labels: Record<string, string> }[]> {
    const data = await this.#get('rules', { type: 'record' });
    if (!Array.isArray(data?.groups)) throw notA('list of rules');
    return data.groups.flatMap((group: Answered) => {
      if (!Array.isArray(group?.rules)) throw notA('list of rules');
      return group.rules.map((rule: Answered) => {
        const { name, labels = {} } = rule ?? {};
        if (typeof name !== 'string' || !isLabels(labels)) throw notA('list of rules');
        return { name, labels };
      });
    });
  }

  /**
   * Writes samples by remote write. Writing a sample a second time changes nothing. If Prometheus rejects one
   * sample, for example because it is too old, it stores none of them.
   *
   * @throws {PrometheusError}
   */
  async write(samples: GaugeSample[]): Promise<void> {
    await this.#ask('write', { method: 'POST', headers: REMOTE_WRITE_HEADERS, body: writeRequest(samples) });
  }

  /** @returns the data of the response */
  #get(path: string, parameters: Record<string, string>): Promise<Answered> {
    return this.#ask(`${path}?${new URLSearchParams(parameters)}`, {}, (body) => body?.status === 'success');
  }

  /**
   * @param isSuccess predicate for responses whose status indicates success
   * @returns the data of the response, if there is any
   */
  async #ask(
    path: string,
    request: RequestInit,
    isSuccess: (body: Answered) => boolean = () => true,
  ): Promise<Answered> {
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
        if (response.ok && isSuccess(body)) return body?.data;
        problem = `answered ${response.status}: ${body?.error ?? (text.trim().slice(0, 100) || 'nothing')}`;
        // Prometheus would reject a client error again.
        if (response.status < 500) break;
      } catch (error) {
        problem = describe(error, this.#timeoutMs);
      }
    }
    throw new PrometheusError(`Prometheus at ${this.#base} ${problem}`);
  }
}

function parse(text: string): Answered {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function describe(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `did not answer in ${timeoutMs / 1000} s`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as NodeJS.ErrnoException)?.code;
  return `cannot be reached (${code ?? (cause instanceof Error ? cause.message : String(cause))})`;
}

/** @throws {PrometheusError} if the data is not a matrix */
function matrix(data: Answered): { metric: Record<string, string>; values: [number, number][] }[] {
  if (data?.resultType !== 'matrix' || !Array.isArray(data.result)) throw notA('matrix');
  return data.result.map((one: Answered) => {
    const { metric, values = [] } = one ?? {};
    if (!isLabels(metric) || !Array.isArray(values) || !values.every(isPoint)) throw notA('matrix');
    return {
      metric,
      values: values
        .map(([time, value]) => [time, Number(value)])
        .filter(([, value = Number.NaN]: number[]) => Math.abs(value) < GREATEST),
    };
  });
}

const notA = (what: string) => new PrometheusError(`Prometheus did not answer with a ${what}`);

const isLabels = (metric: unknown): boolean =>
  typeof metric === 'object' &&
  metric !== null &&
  !Array.isArray(metric) &&
  Object.values(metric).every((value) => typeof value === 'string');

/** @returns whether the point is a time with a value as text, which may be `NaN` or `+Inf` */
const isPoint = (point: unknown): boolean =>
  Array.isArray(point) && Number.isFinite(point[0]) && typeof point[1] === 'string';

/** Upper bound of a plausible value; the sum of a few thousand such values is still finite. */
const GREATEST = 1e300;
