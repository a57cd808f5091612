/** cache_delay_ms: Redis itself is slow. */
import { setTimeout as sleep } from 'node:timers/promises';
import { onFaults } from './faults.js';

/**
 * Work for Redis, which runs nothing else meanwhile: its own statistics and its processor show it, which a slow network would
 * leave idle. Counted, not timed: a script sees no clock that all versions of Redis have.
 */
const BUSY = 'for n = 1, tonumber(ARGV[1]) do end';

/** Rounds to find out how much processor time they take this Redis, and how often to try; the shortest counts. */
const ROUNDS = 1_000_000;
const TRIES = 3;

const RETRY_INTERVAL = 500;

/**
 * @param {(args: string[]) => Promise<unknown>} send a command
 * @returns {() => void} has Redis do cache_delay_ms of work before the command that is sent next on the same connection
 */
export function cacheDelay(send) {
  const busy = (/** @type {number} */ rounds) => send(['EVAL', BUSY, '0', String(Math.round(rounds))]);
  let wanted = 0;
  /** Rounds a command; 0 until it is known how many a millisecond are. */
  let rounds = 0;

  /** @returns {Promise<number>} rounds a millisecond of its processor */
  async function measure() {
    let least = Number.POSITIVE_INFINITY;
    for (let n = 0; n < TRIES; n++) {
      // Sent together, so run one right after the other.
      const [before, , after] = await Promise.all([
        send(['INFO', 'cpu']),
        busy(ROUNDS),
        send(['INFO', 'cpu']),
      ]);
      least = Math.min(least, cpuOf(after) - cpuOf(before));
    }
    return ROUNDS / least;
  }

  /** @param {number} ms */
  async function begin(ms) {
    while (wanted === ms) {
      try {
        const perMs = await measure();
        if (wanted === ms) rounds = perMs * ms;
        return;
      } catch {
        // Redis is away.
        await sleep(RETRY_INTERVAL);
      }
    }
  }

  onFaults(({ values: { cache_delay_ms: ms } }) => {
    if (ms === wanted) return;
    wanted = ms;
    rounds = 0;
    if (ms === 0) return;
    begin(ms);
  });
  return () => {
    if (rounds > 0) busy(rounds).catch(() => {});
  };
}

/** @param {unknown} info Redis' answer to INFO cpu @returns {number} ms */
function cpuOf(info) {
  const used = [...String(info).matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)];
  return used.reduce((sum, [, seconds]) => sum + Number(seconds) * 1000, 0);
}
