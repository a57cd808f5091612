import { createClient, defineScript } from 'redis';
import { cacheDelay } from './faults/cache-delay.js';
import { log } from './log.js';

/** How long a silent connection may stay open before Redis counts as unavailable, ms. */
const SILENCE_TIMEOUT = 2000;
const PING_INTERVAL = 500;
export const CONNECT_TIMEOUT = 1000;
const LONGEST_RECONNECT_DELAY = 500;

/** Keys of users in Redis: one per user, and a hash of those not yet written to the database. */
export const userKey = (/** @type {number | string} */ id) => `user:${id}`;
export const UNWRITTEN = 'users:unwritten';

/** The channel on which changes of users are published, as `id region`. */
export const CHANGED_USERS = 'users:changed';

/**
 * Caches a user unless a newer version is cached, so that a slow writer can't overwrite a newer value.
 * Arguments: user as JSON, version, lifetime in seconds.
 */
const cacheNewer = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
    local cached = redis.call('GET', KEYS[1])
    if cached and cjson.decode(cached).version >= tonumber(ARGV[2]) then return 0 end
    redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
    return 1`,
  /** @param {import('@redis/client').CommandParser} parser @param {import('./users.js').User} user @param {number} ttl */
  parseCommand(parser, user, ttl) {
    parser.pushKey(userKey(user.id));
    parser.push(JSON.stringify(user), String(user.version), String(ttl));
  },
  transformReply: (/** @type {number} */ reply) => reply === 1,
});

/**
 * Atomically changes a cached user, marks it as unwritten and publishes the change. An unwritten user does not expire:
 * otherwise the next reader would load the old version from the database. Arguments: the changes and their time as
 * JSON, and the user to start from if none is cached ('' if the caller has none: the reply is then null).
 */
const changeUnwritten = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
    local known = redis.call('GET', KEYS[1]) or redis.call('HGET', KEYS[2], ARGV[3]) or ARGV[2]
    if known == '' then return nil end
    local user = cjson.decode(known)
    for field, value in pairs(cjson.decode(ARGV[1])) do user[field] = value end
    user.version = user.version + 1
    local changed = cjson.encode(user)
    redis.call('SET', KEYS[1], changed)
    redis.call('HSET', KEYS[2], ARGV[3], changed)
    redis.call('PUBLISH', '${CHANGED_USERS}', ARGV[3] .. ' ' .. user.region)
    return changed`,
  /**
   * @param {import('@redis/client').CommandParser} parser
   * @param {number} id
   * @param {Partial<import('./users.js').User>} changes
   * @param {import('./users.js').User} [base]
   */
  parseCommand(parser, id, changes, base) {
    parser.pushKey(userKey(id));
    parser.pushKey(UNWRITTEN);
    parser.push(JSON.stringify(changes), base ? JSON.stringify(base) : '', String(id));
  },
  transformReply: (/** @type {string | null} */ reply) => reply,
});

/**
 * Removes the mark of users that were written to the database, except those that changed in the meantime, and lets them
 * expire. Arguments: lifetime in seconds, then id and JSON of each user as it was written.
 */
const markWritten = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
    for i = 2, #ARGV, 2 do
      if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then
        redis.call('HDEL', KEYS[1], ARGV[i])
        redis.call('EXPIRE', 'user:' .. ARGV[i], ARGV[1])
      end
    end`,
  /**
   * @param {import('@redis/client').CommandParser} parser
   * @param {{field: string, value: string}[]} entries
   * @param {number} ttl
   */
  parseCommand(parser, entries, ttl) {
    parser.pushKey(UNWRITTEN);
    parser.push(String(ttl), ...entries.flatMap(({ field, value }) => [field, value]));
  },
  transformReply: () => undefined,
});

/** @typedef {ReturnType<typeof connectRedis>} Redis */

/**
 * A Redis connection that reconnects automatically. While it is down, every command fails immediately instead of being
 * queued.
 * @param {string} url
 */
export function connectRedis(url) {
  const client = createClient({
    url,
    scripts: { cacheNewer, changeUnwritten, markWritten },
    disableOfflineQueue: true,
    // Notifications of Redis Enterprise: with them, the client does not accept Unix sockets.
    maintNotifications: 'disabled',
    pingInterval: PING_INTERVAL,
    socket: {
      connectTimeout: CONNECT_TIMEOUT,
      socketTimeout: SILENCE_TIMEOUT,
      reconnectStrategy: (retries) => Math.min(20 * 2 ** retries, LONGEST_RECONNECT_DELAY),
    },
  });
  // The error repeats with every attempt to reconnect; it is logged once per outage.
  let down = false;
  client.on('error', (/** @type {Error & {code?: string}} */ error) => {
    if (!down) log('warn', 'redis is away', { reason: error.code ?? error.message });
    down = true;
  });
  client.on('ready', () => {
    if (down) log('info', 'redis is back');
    down = false;
  });
  return client;
}

/**
 * Measures every command except the client's own PING, and applies cache_delay_ms. All commands pass through this
 * function. The client's tracing channel would provide the same, but takes a fifth of the CPU time of a simple call.
 * @param {Redis} redis
 * @param {Pick<import('./metrics.js').Metrics, 'cacheRequestDuration'>} metrics
 */
export function watchCommands(redis, { cacheRequestDuration }) {
  /** @typedef {(args: readonly any[], options?: any) => Promise<any>} Send */
  const inner = /** @type {{_self: {sendCommand: Send}}} */ (/** @type {unknown} */ (redis))._self;
  const send = /** @type {Send} */ (inner.sendCommand.bind(inner));
  const delay = cacheDelay(send);
  inner.sendCommand = (args, options) => {
    if (args[0] === 'PING') return send(args, options);
    // Redis runs commands in the order in which they are sent.
    delay();
    const start = performance.now();
    const reply = send(args, options);
    const end = () => cacheRequestDuration.observe((performance.now() - start) / 1000);
    reply.then(end, end);
    return reply;
  };
}
