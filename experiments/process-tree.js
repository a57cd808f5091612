import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc: 100 on every Linux that Node runs on. */
const TICKS = 100;

/**
 * @param {Record<string, number[]>} groups ids of processes
 * @returns {Record<string, number>} seconds of CPU that they, and those that they started, have used; without a group of
 *   which none is there, or where the system does not tell
 */
export function cpuSeconds(groups) {
  const [parents, ticks] = [new Map(), new Map()];
  for (const each of entries()) {
    const fields = statOf(each);
    if (!fields) continue;
    parents.set(Number(each), Number(fields[1]));
    // Its own, and those of children that have ended.
    ticks.set(
      Number(each),
      [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0),
    );
  }
  /** @param {number} pid @param {number[]} roots */
  const isOf = (pid, roots) => {
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

function entries() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** @param {string} pid @returns {string[] | null} the fields after the name, which may hold blanks */
function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop()?.split(' ') ?? null;
  } catch {
    return null;
  }
}
