import { cpuSeconds } from './process-tree.ts';

/** A reading takes some milliseconds. */
const EVERY_MS = 500;

export interface CpuWatch {
  /** CPUs that each group kept busy on average in a phase. A group is absent if this is unknown. */
  cores: (phase: { start: string | null; end: string | null }) => Record<string, number>;
  stop: () => void;
}

/**
 * Watches the CPU usage of processes and their descendants.
 *
 * @param groups pids by name
 */
export function watchCpu(groups: Record<string, number[]>): CpuWatch {
  const points: { atMs: number; used: Record<string, number> }[] = [];
  const look = () => points.push({ atMs: Date.now(), used: cpuSeconds(groups) });
  look();
  // The timer must not keep a failed test from ending.
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
