import { readdirSync, readFileSync } from 'node:fs';

/**
 * @param {number} root
 * @returns {{pid: number, parent: number, started: string, command: string}[]} it and all that it started, directly or
 *   not; started tells a process from a later one of the same id
 */
export function processTree(root) {
  const all = readdirSync('/proc').flatMap((name) => {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').pop()?.split(' ') ?? [];
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return [{ pid: Number(name), parent: Number(fields[1]), started: String(fields[19]), command: line }];
    } catch {
      return [];
    }
  });
  const known = new Set([root]);
  for (let size = 0; size < known.size; ) {
    size = known.size;
    for (const { pid, parent } of all) if (known.has(parent)) known.add(pid);
  }
  return all.filter(({ pid }) => known.has(pid));
}

/**
 * @param {...string} needles as `NAME=value`
 * @returns {{pid: number, command: string, environment: string[]}[]} processes that have all of them in their environment
 */
export function processesWith(...needles) {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
        if (!needles.every((needle) => environment.includes(needle))) return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
        return [{ pid: Number(pid), command, environment }];
      } catch {
        // It has ended, or is another user's.
        return [];
      }
    });
}
