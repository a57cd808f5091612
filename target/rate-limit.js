import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { onFaults } from './faults/faults.js';

const KEY = 'service';
const WINDOW_SECONDS = 1;

/**
 * A limit on the whole service's requests a second. It counts in Redis, because connections, and so load, are never
 * spread evenly over workers; while Redis is away each worker grants its share.
 * @param {import('./config.js').Config} config
 * @param {import('./redis.js').Redis} redis
 * @returns {() => Promise<number>} takes one request; resolves to 0 when it may go on, else to the whole seconds to wait
 */
export function createRateLimit(config, redis) {
  /** @type {RateLimiterRedis | undefined} */
  let limiter;
  let points = 0;
  onFaults(({ values }) => {
    const wanted = values.rate_limit_rps || config.rateLimit;
    if (wanted === points) return;
    points = wanted;
    limiter = points === 0 ? undefined : makeLimiter({ points, workers: config.workers, redis });
  });
  return async () => {
    if (!limiter) return 0;
    try {
      await limiter.consume(KEY);
      return 0;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
    }
  };
}

/**
 * @param {{points: number, workers: number, redis: import('./redis.js').Redis}} parts
 */
function makeLimiter({ points, workers, redis }) {
  return new RateLimiterRedis({
    storeClient: redis,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    keyPrefix: 'rate',
    points,
    duration: WINDOW_SECONDS,
    // Once the window is used up its refusals cost no trip to Redis.
    inMemoryBlockOnConsumed: points,
    insuranceLimiter: new RateLimiterMemory({
      points: Math.max(1, Math.round(points / workers)),
      duration: WINDOW_SECONDS,
    }),
  });
}
