import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in /proc: 100 on every Linux that Node runs on. */
const TICKS = 100;

/**
 * CPU seconds used by groups of processes and their descendants. A group is absent if none of its processes
 * is running. Without /proc all groups are absent.
 *
 * @param groups pids by name
 */
export function cpuSeconds(groups: Record<string, number[]>): Record<string, number> {
  const parents = new Map<number, number>();
  const ticks = new Map<number, number>();
  for (const each of entries()) {
    const fields = statOf(each);
    if (!fields) continue;
    parents.set(Number(each), Number(fields[1]));
    // Its own ticks, and those of children that have ended.
    ticks.set(
      Number(each),
      [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0),
    );
  }
  const isOf = (pid: number, roots: number[]) => {
    for (let at = pid; at > 0; at = parents.get(at) ?? 0) if (roots.includes(at)) return true;
    return false;
  };
  const found = Object.entries(groups).filter(([, roots]) => roots.some((pid) => ticks.has(pid)));
  return Object.fromEntries(
    found.map(([name, roots]) => {
      const used = [...ticks].reduce((sum, [pid, each]) => sum + (isOf(pid, roots) ? each : 0), 0);
      return [name, used / TICKS];
    }),
  );
}

function entries(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** The fields after the name, which may itself contain spaces. */
function statOf(pid: string): string[] | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop()?.split(' ') ?? null;
  } catch {
    return null;
  }
}
