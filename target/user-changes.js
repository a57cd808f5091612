import { setTimeout as sleep } from 'node:timers/promises';
import { CHANGED_USERS } from './redis.js';
import { ToolError } from './tool-error.js';

/** Time limit of subscribing in Redis, ms. */
const SUBSCRIBE_TIMEOUT = 1000;

/** @typedef {import('@modelcontextprotocol/server').ServerEvent} ServerEvent */

/**
 * Notifies subscribers of changed users. Changes are published through Redis, so subscribers also learn about changes
 * in other workers and instances. Changes made while Redis is unavailable are not reported.
 *
 * The SDK uses it as the event bus of its `subscriptions/listen` streams, which filter events themselves. Sessions
 * watch individual resources.
 */
export class UserChanges {
  #redis;
  #metrics;
  /** @type {Promise<unknown> | undefined} created with the first subscription */
  #heard;
  /** @type {Set<(event: ServerEvent) => void>} */
  #streams = new Set();
  /** @type {Map<string, Set<() => void>>} by the resource's URI */
  #watchers = new Map();

  /**
   * @param {object} parts
   * @param {Pick<import('./redis.js').Redis, 'subscribe'>} parts.redis
   * @param {Pick<import('./metrics.js').Metrics, 'subscriptionsActive'>} parts.metrics
   */
  constructor({ redis, metrics }) {
    this.#redis = redis;
    this.#metrics = metrics;
  }

  /** The number of open `subscriptions/listen` streams. */
  get streams() {
    return this.#streams.size;
  }

  /**
   * @param {(event: ServerEvent) => void} listener receives every event
   * @returns {() => void} ends the subscription
   */
  subscribe(listener) {
    this.#streams.add(listener);
    this.#metrics.subscriptionsActive.inc();
    this.#hear().catch(() => {});
    return () => {
      if (this.#streams.delete(listener)) this.#metrics.subscriptionsActive.dec();
    };
  }

  /**
   * @param {string} uri
   * @param {() => void} listener
   * @returns {Promise<() => void>} ends the subscription
   * @throws {ToolError} if Redis is unavailable
   */
  async watch(uri, listener) {
    await Promise.race([this.#hear(), sleep(SUBSCRIBE_TIMEOUT).then(redisIsAway)]).catch(redisIsAway);
    const watchers = this.#watchers.get(uri) ?? new Set();
    this.#watchers.set(uri, watchers.add(listener));
    this.#metrics.subscriptionsActive.inc();
    return () => {
      if (!watchers.delete(listener)) return;
      this.#metrics.subscriptionsActive.dec();
      if (watchers.size === 0 && this.#watchers.get(uri) === watchers) this.#watchers.delete(uri);
    };
  }

  /** @param {ServerEvent} event */
  publish(event) {
    for (const listener of this.#streams) listener(event);
    if (event.kind === 'resource_updated')
      for (const listener of this.#watchers.get(event.uri) ?? []) listener();
  }

  #hear() {
    // The Redis client restores the subscription when it reconnects.
    this.#heard ??= this.#redis
      .subscribe(CHANGED_USERS, (message) => this.#changed(message))
      .catch((error) => {
        this.#heard = undefined;
        throw error;
      });
    return this.#heard;
  }

  /** @param {string} message */
  #changed(message) {
    const [id = '', region = ''] = message.split(' ');
    // A region's figures and its report depend on its users.
    for (const uri of [`users://${id}`, `regions://${region}`, `reports://${region}`]) {
      this.publish({ kind: 'resource_updated', uri });
    }
  }
}

/** @returns {never} */
function redisIsAway() {
  throw new ToolError('no subscription: the cache, which reports changes, is unavailable');
}
