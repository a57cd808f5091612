/**
 * A separate instance of the reference target for faults: its stores are behind proxies, and its heap is
 * limited.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { startInstance } from '../../cli/trials/instance.ts';
import { newFolder, type ServerProcess } from '../../cli/trials/server-process.ts';

/** Heap limit of each worker: ten times the heap that it needs. */
export const HEAP_MB = 256;

/**
 * The stack's own instance never closes its connections, and both instances share PostgreSQL's limit of 100.
 */
const POOL_SIZE = 10;

const FILLER = new URL('heap-filler.js', import.meta.url);

export interface Instance extends ServerProcess {
  /** HEAP_SHARE_FILE of heap-filler.js. */
  heapFile: string;
}

/** @param ports where Prometheus scrapes it, and where its stores are */
export async function startTarget(port: number, ports: Record<string, number>): Promise<Instance> {
  const folder = newFolder();
  const heapFile = join(folder, 'heap-share');
  const settings = {
    ...ports,
    POOL_SIZE,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --import=${FILLER}`,
    HEAP_LIMIT_MB: HEAP_MB,
    HEAP_SHARE_FILE: heapFile,
  };
  const server = await startInstance('the target', port, settings, folder);
  return { ...server, heapFile };
}

/** @returns the pids of a target's workers, oldest first */
export function workersOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** @returns the largest share of its heap limit that a worker reached; 0: no worker reported one */
export function heapPeak(heapFile: string): number {
  const reports = readdirSync(dirname(heapFile)).filter((name) => name.startsWith(`${basename(heapFile)}.`));
  return Math.max(0, ...reports.map((name) => Number(readFileSync(join(dirname(heapFile), name), 'utf8'))));
}
