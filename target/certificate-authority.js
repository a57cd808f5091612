import { logNormal } from './log-normal.js';

/** Sigma of the log-normal latency: the 95th percentile is 1.56 times the median. */
const SIGMA = 0.27;

/** Issuing takes longer than renewing, because it includes the validation of the domain. */
const FACTOR = { issue: 1.5, renew: 1 };

const MINUTE = 60_000;
const VALID_DAYS = 90;
const DAY = 24 * 60 * MINUTE;

/**
 * @typedef {{status: 201, latency: number, body: {domains: string[], expires_on: string}}} Issued
 * @typedef {{status: 429, latency: number, retryAfter: number, body: {error: string}}} Refused
 */

/** An authority that is as slow as a real one and limits the certificates per minute for each domain. */
export class CertificateAuthority {
  #latencyMs;
  #perMinute;
  /** @type {Map<string, number[]>} domain -> times of its orders, at least those of the last minute */
  #orders = new Map();
  #forgetAt = 0;

  /**
   * @param {{latencyMs: number, perMinute: number}} config
   *   latencyMs: mean latency of a renewal; perMinute: limit per domain, 0: none
   */
  constructor({ latencyMs, perMinute }) {
    this.#latencyMs = latencyMs;
    this.#perMinute = perMinute;
  }

  /**
   * @param {string[]} domains
   * @param {'issue' | 'renew'} order
   * @param {number} [now] ms
   * @returns {Issued | Refused} latency: delay of the answer, ms
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
   * @returns {number} the earliest time at which the next order is accepted
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
   * Removes expired orders, once a minute, so that the map does not grow throughout a test.
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
