import { logNormal } from './log-normal.js';

/** Width of the latency's log-normal distribution: the 95th percentile is 1.56 times the median. */
const SIGMA = 0.27;

/** A new certificate takes longer than a renewal: the proof that the domain is one's own is new, too. */
const FACTOR = { issue: 1.5, renew: 1 };

const MINUTE = 60_000;
const VALID_DAYS = 90;
const DAY = 24 * 60 * MINUTE;

/**
 * @typedef {{status: 201, latency: number, body: {domains: string[], expires_on: string}}} Issued
 * @typedef {{status: 429, latency: number, retryAfter: number, body: {error: string}}} Refused
 */

/** An authority as slow as a real one, which has so many certificates a minute for each domain and no more. */
export class CertificateAuthority {
  #latencyMs;
  #perMinute;
  /** @type {Map<string, number[]>} domain -> when it was ordered for, in the last minute at least */
  #orders = new Map();
  #forgetAt = 0;

  /**
   * @param {{latencyMs: number, perMinute: number}} config latencyMs: mean of a renewal; perMinute: 0 is no limit
   */
  constructor({ latencyMs, perMinute }) {
    this.#latencyMs = latencyMs;
    this.#perMinute = perMinute;
  }

  /**
   * @param {string[]} domains
   * @param {'issue' | 'renew'} order
   * @param {number} [now] ms
   * @returns {Issued | Refused} latency: ms to wait before it is answered
   */
  certify(domains, order, now = Date.now()) {
    const free = Math.max(...domains.map((domain) => this.#freeAt(domain, now)));
    if (free > now) {
      const retryAfter = Math.ceil((free - now) / 1000);
      return {
        status: 429,
        latency: 0,
        retryAfter,
        body: { error: 'too many certificates for this domain' },
      };
    }
    if (this.#perMinute > 0) for (const domain of domains) this.#orders.get(domain)?.push(now);
    const latency = logNormal(this.#latencyMs * FACTOR[order], SIGMA);
    const expires = new Date(now + latency + VALID_DAYS * DAY);
    return { status: 201, latency, body: { domains, expires_on: expires.toISOString() } };
  }

  /**
   * @param {string} domain
   * @param {number} now
   * @returns {number} from when on it may be ordered for
   */
  #freeAt(domain, now) {
    if (this.#perMinute === 0) return now;
    this.#forget(now);
    const orders = this.#orders.get(domain) ?? [];
    this.#orders.set(domain, orders);
    const oldest = orders.at(-this.#perMinute);
    return orders.length < this.#perMinute || oldest === undefined ? now : oldest + MINUTE;
  }

  /**
   * Once a minute, so that the map does not grow with the length of a test.
   * @param {number} now
   */
  #forget(now) {
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + MINUTE;
    for (const [domain, orders] of this.#orders) {
      const recent = orders.filter((time) => time > now - MINUTE);
      if (recent.length > 0) this.#orders.set(domain, recent);
      else this.#orders.delete(domain);
    }
  }
}
