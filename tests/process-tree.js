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
