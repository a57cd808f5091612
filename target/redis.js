import { createClient, defineScript } from 'redis';
import { cacheDelay } from './faults/cache-delay.js';
import { log } from './log.js';

/** Redis away is noticed after this long even when it falls silent without closing its connections, ms. */
const SILENCE_TIMEOUT = 2000;
const PING_INTERVAL = 500;
export const CONNECT_TIMEOUT = 1000;
const LONGEST_RECONNECT_DELAY = 500;

/** Where users are kept in Redis: one key a user, and the hash of those that the database does not have yet. */
export const userKey = (/** @type {number | string} */ id) => `user:${id}`;
export const UNWRITTEN = 'users:unwritten';

/** The channel on which every change of a user is told, as `id region`. */
export const CHANGED_USERS = 'users:changed';

/**
 * Caches a user unless a newer version is there: a slow writer must not undo a fast one.
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
 * Changes a cached user, marks it as unwritten and tells of it, in one step. Until it is written it must not expire, or the next
 * reader would fetch the old one from the database. Arguments: the changes and the time of the change as JSON, and the
 * user to start from if none is cached ('' when the caller has none: the reply is then null).
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
 * Unmarks users that the database has now, except those changed again meanwhile, and lets them expire.
 * Arguments: lifetime in seconds, then id and JSON of each user as it was written.
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
 * A Redis connection that repairs itself. While it is down every command fails at once instead of queueing.
 * @param {string} url
 */
export function connectRedis(url) {
  const client = createClient({
    url,
    scripts: { cacheNewer, changeUnwritten, markWritten },
    disableOfflineQueue: true,
    // Announcements of Redis Enterprise: the client takes no address of a Unix socket with them.
    maintNotifications: 'disabled',
    pingInterval: PING_INTERVAL,
    socket: {
      connectTimeout: CONNECT_TIMEOUT,
      socketTimeout: SILENCE_TIMEOUT,
      reconnectStrategy: (retries) => Math.min(20 * 2 ** retries, LONGEST_RECONNECT_DELAY),
    },
  });
  // Errors repeat with every attempt to reconnect: one line an outage is enough.
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
 * Measures every command but the client's own PING, and lets the cache's fault at them. In the one place that all commands
 * come through: the client's tracing channel would tell the same, for a fifth of the processor time of a simple call.
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
    // What is sent first is run first.
    delay();
    const start = performance.now();
    const reply = send(args, options);
    const end = () => cacheRequestDuration.observe((performance.now() - start) / 1000);
    reply.then(end, end);
    return reply;
  };
}
