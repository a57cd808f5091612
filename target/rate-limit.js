import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { onFaults } from './faults/faults.js';

const KEY = 'service';
const WINDOW_SECONDS = 1;

/**
 * Limits the requests per second of the whole service. The counter is in Redis, because connections are not spread
 * evenly over the workers. If Redis is unavailable, each worker applies its share of the limit.
 * @param {import('./config.js').Config} config
 * @param {import('./redis.js').Redis} redis
 * @returns {() => Promise<number>} counts a request; resolves to 0 if it is allowed, else to the seconds to wait
 * (Retry-After)
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
    // Once the limit is reached, requests are refused in memory until the window ends, without a request to Redis.
    inMemoryBlockOnConsumed: points,
    insuranceLimiter: new RateLimiterMemory({
      points: Math.max(1, Math.round(points / workers)),
      duration: WINDOW_SECONDS,
    }),
  });
}
