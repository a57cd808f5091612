import { cpuSeconds } from './process-tree.js';

const EVERY_MS = 250;

/**
 * Watches what a process and those that it started use of the processors.
 *
 * @param {number} pid
 * @returns {{cores: (fromMs: number, toMs: number) => number | null, stop: () => void}} cores: processors that were
 *   busy with it on average between two times since the epoch; null where that is not known
 */
export function watchCpu(pid) {
  /** @type {{atMs: number, seconds: number}[]} */
  const points = [];
  const look = () => {
    const seconds = cpuSeconds(pid);
    if (seconds !== null) points.push({ atMs: Date.now(), seconds });
  };
  look();
  const timer = setInterval(look, EVERY_MS);
  return {
    cores: (fromMs, toMs) => {
      const first = points.find(({ atMs }) => atMs >= fromMs);
      const last = points.findLast(({ atMs }) => atMs <= toMs);
      if (!first || !last || last.atMs <= first.atMs) return null;
      return ((last.seconds - first.seconds) * 1000) / (last.atMs - first.atMs);
    },
    stop: () => clearInterval(timer),
  };
}
