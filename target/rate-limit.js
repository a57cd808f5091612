import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

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
  if (config.rateLimit === 0) return async () => 0;
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    keyPrefix: 'rate',
    points: config.rateLimit,
    duration: WINDOW_SECONDS,
    // Once the window is used up its refusals cost no trip to Redis.
    inMemoryBlockOnConsumed: config.rateLimit,
    insuranceLimiter: new RateLimiterMemory({
      points: Math.max(1, Math.round(config.rateLimit / config.workers)),
      duration: WINDOW_SECONDS,
    }),
  });
  return async () => {
    try {
      await limiter.consume(KEY);
      return 0;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
    }
  };
}
