import CircuitBreaker from 'opossum';
import { z } from 'zod';
import { faults } from './faults/faults.js';
import { log } from './log.js';

/** Time limit of a call to the weather service, ms. */
const TIMEOUT = 2000;

/** How long the open breaker refuses calls before it lets a test call through, ms. */
const RESET_TIMEOUT = 5000;

/** Failure rate over the last ten seconds that opens the breaker, per cent; and the minimum number of calls. */
const ERROR_THRESHOLD = 50;
const VOLUME_THRESHOLD = 10;

const BREAKER = 'weather';

const Answer = z.object({ city: z.string(), temperature_c: z.number(), conditions: z.string() });

/** The weather service failed. The message contains no secrets and may be shown to a client. */
export class WeatherError extends Error {}

/** Client of the weather service, with a circuit breaker. */
export class Weather {
  #breaker;
  #baseUrl;
  #metrics;

  /**
   * @param {import('./config.js').Config} config
   * @param {import('./metrics.js').Metrics} metrics
   */
  constructor(config, metrics) {
    this.#baseUrl = config.upstreamUrl;
    this.#metrics = metrics;
    this.#breaker = new CircuitBreaker((/** @type {string} */ city) => this.#fetch(city), {
      // fetch has its own timeout, which also closes the connection; the breaker's timeout would not.
      timeout: false,
      resetTimeout: RESET_TIMEOUT,
      errorThresholdPercentage: ERROR_THRESHOLD,
      volumeThreshold: VOLUME_THRESHOLD,
    });
    metrics.circuitBreakerOpen.set({ breaker: BREAKER }, 0);
    metrics.circuitBreakerTrips.inc({ breaker: BREAKER }, 0);
    this.#breaker.on('open', () => {
      log('warn', 'circuit breaker opened', { breaker: BREAKER });
      metrics.circuitBreakerTrips.inc({ breaker: BREAKER });
      metrics.circuitBreakerOpen.set({ breaker: BREAKER }, 1);
    });
    this.#breaker.on('close', () => {
      log('info', 'circuit breaker closed', { breaker: BREAKER });
      metrics.circuitBreakerOpen.set({ breaker: BREAKER }, 0);
    });
  }

  /**
   * @param {string} city
   * @returns {Promise<z.infer<typeof Answer>>}
   * @throws {WeatherError}
   */
  async get(city) {
    try {
      return await this.#breaker.fire(city);
    } catch (error) {
      throw new WeatherError(`weather service: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** Resolves when the weather service answers. */
  async ping() {
    const response = await fetch(`${this.#baseUrl}/health`, { signal: AbortSignal.timeout(TIMEOUT) });
    await response.body?.cancel();
    if (!response.ok) throw new WeatherError(`HTTP ${response.status}`);
  }

  close() {
    this.#breaker.shutdown();
  }

  /** @param {string} city */
  async #fetch(city) {
    const end = this.#metrics.upstreamRequestDuration.startTimer();
    try {
      const query = new URLSearchParams({ city });
      if (faults.upstream_delay_ms > 0) query.set('delay_ms', String(faults.upstream_delay_ms));
      const response = await fetch(`${this.#baseUrl}/weather?${query}`, {
        signal: AbortSignal.timeout(TIMEOUT),
      });
      if (!response.ok) throw new WeatherError(`HTTP ${response.status}`);
      return Answer.parse(await response.json());
    } catch (error) {
      if (isTimeout(error)) this.#metrics.upstreamTimeouts.inc();
      throw error;
    } finally {
      end();
    }
  }
}

/** @param {unknown} error */
function isTimeout(error) {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** @param {unknown} error */
function reasonOf(error) {
  if (isTimeout(error)) return `no answer within ${TIMEOUT} ms`;
  if (error instanceof z.ZodError) return 'an invalid answer';
  const { code, cause, message } = /** @type {Error & {code?: string, cause?: {code?: string}}} */ (error);
  if (code === 'EOPENBREAKER') return 'calls are paused because too many failed';
  return cause?.code ?? message;
}
