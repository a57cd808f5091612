import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc: 100 on every Linux that Node runs on. */
const TICKS = 100;

/**
 * @param {number} pid
 * @returns {number | null} seconds of CPU that the process and those it started have used; null where the system
 *   does not tell
 */
export function cpuSeconds(pid) {
  const parents = new Map();
  const ticks = new Map();
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
  if (!ticks.has(pid)) return null;
  const inTree = (/** @type {number} */ each) => {
    for (let at = each; at > 0; at = parents.get(at) ?? 0) if (at === pid) return true;
    return false;
  };
  return [...ticks].reduce((sum, [each, used]) => sum + (inTree(each) ? used : 0), 0) / TICKS;
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
