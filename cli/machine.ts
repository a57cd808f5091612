/** Resources of this machine, or of this program's cgroup. */
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

const MIB = 2 ** 20;

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** MiB from the first of these files (cgroup v2, v1) that contains a number. */
function cgroupMemory(...names: string[]): number | undefined {
  const text = names.map((name) => textOf(`/sys/fs/cgroup/${name}`)).find((found) => found !== undefined);
  return text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) / MIB : undefined;
}

function meminfo(name: string): number | undefined {
  const [, kib] = new RegExp(`^${name}: +(\\d+)`, 'm').exec(textOf('/proc/meminfo') ?? '') ?? [];
  return kib === undefined ? undefined : Number(kib) / 1024;
}

const limit = () => cgroupMemory('memory.max', 'memory/memory.limit_in_bytes');

/** MiB of memory; undefined = unknown. */
export function totalMemory(): number | undefined {
  const total = meminfo('MemTotal');
  return total === undefined ? undefined : Math.floor(Math.min(total, limit() ?? total));
}

/** MiB of available memory; undefined = unknown. */
export function freeMemory(): number | undefined {
  const free = meminfo('MemAvailable');
  if (free === undefined) return undefined;
  const [most, used] = [limit(), cgroupMemory('memory.current', 'memory/memory.usage_in_bytes')];
  return Math.floor(most === undefined || used === undefined ? free : Math.min(free, most - used));
}

/** Free MiB on the disk of a folder, which need not exist yet. */
export function freeDisk(folder: string): number {
  let there = folder;
  while (!existsSync(there)) there = dirname(there);
  const { bavail, bsize } = statfsSync(there);
  return Math.floor((bavail * bsize) / MIB);
}
