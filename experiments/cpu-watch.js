import { cpuSeconds } from './process-tree.js';

/** To look costs some milliseconds. */
const EVERY_MS = 500;

/**
 * Watches what processes, and those that they started, use of the processors.
 *
 * @param {Record<string, number[]>} groups ids of processes
 * @returns {{cores: (phase: {start: string | null, end: string | null}) => Record<string, number>, stop: () => void}}
 *   cores: processors that each group kept busy on average in a phase; without a group of which that is not known
 */
export function watchCpu(groups) {
  /** @type {{atMs: number, used: Record<string, number>}[]} */
  const points = [];
  const look = () => points.push({ atMs: Date.now(), used: cpuSeconds(groups) });
  look();
  // Of an experiment that has failed it must not be what keeps it from ending.
  const timer = setInterval(look, EVERY_MS).unref();
  return {
    cores: ({ start, end }) => {
      const [fromMs, toMs] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
      const first = points.find(({ atMs }) => atMs >= fromMs);
      const last = points.findLast(({ atMs }) => atMs <= toMs);
      if (!first || !last || last.atMs <= first.atMs) return {};
      const seconds = (last.atMs - first.atMs) / 1000;
      return Object.fromEntries(
        Object.entries(last.used).flatMap(([name, used]) => {
          const before = first.used[name];
          return before === undefined ? [] : [[name, (used - before) / seconds]];
        }),
      );
    },
    stop: () => {
      clearInterval(timer);
      look();
    },
  };
}
