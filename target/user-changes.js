import { setTimeout as sleep } from 'node:timers/promises';
import { CHANGED_USERS } from './redis.js';
import { ToolError } from './tool-error.js';

/** How long a subscription may wait for Redis, ms. */
const SUBSCRIBE_TIMEOUT = 1000;

/** @typedef {import('@modelcontextprotocol/server').ServerEvent} ServerEvent */

/**
 * Tells whoever asked for it that a user has changed, whichever worker or instance changed it: the changes come through
 * Redis. A change made while Redis is away is told to nobody.
 *
 * To the SDK this is the bus of its `subscriptions/listen` streams, which filter by themselves; sessions watch one
 * resource each.
 */
export class UserChanges {
  #redis;
  #metrics;
  /** @type {Promise<unknown> | undefined} made with the first who asks: without any, no worker hears of a change */
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

  /** Streams of `subscriptions/listen` that are open. */
  get streams() {
    return this.#streams.size;
  }

  /**
   * @param {(event: ServerEvent) => void} listener gets every event
   * @returns {() => void} ends it
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
   * @returns {Promise<() => void>} ends it
   * @throws {ToolError} where Redis is away
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
    // Kept by the Redis client when it has to reconnect.
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
    // A region's figures and its report are made of its users.
    for (const uri of [`users://${id}`, `regions://${region}`, `reports://${region}`]) {
      this.publish({ kind: 'resource_updated', uri });
    }
  }
}

/** @returns {never} */
function redisIsAway() {
  throw new ToolError('no subscription: the cache that tells of changes is away');
}
