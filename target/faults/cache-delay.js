/** cache_delay_ms: makes Redis itself slow. */
import { setTimeout as sleep } from 'node:timers/promises';
import { onFaults } from './faults.js';

/**
 * Keeps Redis' thread busy, so that the delay appears in Redis' own statistics and CPU usage. A slow network would not
 * affect these. The work is a number of loop rounds, because not all versions of Redis give scripts a clock.
 */
const BUSY = 'for n = 1, tonumber(ARGV[1]) do end';

/** For the calibration: rounds per measurement and number of measurements. The shortest measurement is used. */
const ROUNDS = 1_000_000;
const TRIES = 3;

const RETRY_INTERVAL = 500;

/**
 * @param {(args: string[]) => Promise<unknown>} send sends a command
 * @returns {() => void} a function that keeps Redis busy for cache_delay_ms before the next command on this connection
 */
export function cacheDelay(send) {
  const busy = (/** @type {number} */ rounds) => send(['EVAL', BUSY, '0', String(Math.round(rounds))]);
  let wanted = 0;
  /** Loop rounds per command; 0 before the calibration. */
  let rounds = 0;

  /** @returns {Promise<number>} rounds per millisecond of Redis' CPU time */
  async function measure() {
    let least = Number.POSITIVE_INFINITY;
    for (let n = 0; n < TRIES; n++) {
      // Commands that are sent together run directly one after the other.
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
        // Redis is unavailable.
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

/** @param {unknown} info Redis' answer to INFO cpu @returns {number} CPU time, ms */
function cpuOf(info) {
  const used = [...String(info).matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)];
  return used.reduce((sum, [, seconds]) => sum + Number(seconds) * 1000, 0);
}
