/**
 * Reads the processes of this machine from Linux's /proc: their names, the CPU time they used, and the ports
 * they listen on.
 */
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';

export interface Process {
  pid: number;
  /** PID of the parent. */
  parent: number;
  /** Start time, which distinguishes the process from a later one with the same PID. */
  start: string;
  /** The program's name without its arguments, which may contain secrets. */
  comm: string;
  /** CPU seconds of the process. */
  own: number;
  /** CPU seconds of its children that exited and that it has waited for. */
  children: number;
}

/**
 * A container sees its own processes in /proc, and those of the machine if the machine's /proc is mounted at
 * HOST_PROC.
 */
const PROC = process.env.HOST_PROC || '/proc';
/** Clock ticks per second in /proc: 100 on every Linux that Node.js supports. */
const TICKS = 100;
/** PF_KTHREAD in the flags of a process. */
const KERNEL_THREAD = 0x00200000;
/** TCP_LISTEN in the tables of /proc/net. */
const LISTENING = '0A';

/** The kernel generates these files when they are read, so their size is unknown. */
const buffer = Buffer.alloc(1 << 20);

/** @returns '' if the file cannot be read, for example because the process exited */
function read(path: string): string {
  let file = -1;
  try {
    file = openSync(path, 'r');
    let end = 0;
    for (let count = 1; count > 0 && end < buffer.length; end += count)
      count = readSync(file, buffer, end, buffer.length - end, null);
    return buffer.toString('latin1', 0, end);
  } catch {
    return '';
  } finally {
    if (file >= 0) closeSync(file);
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Kernel threads, about half of the list. They are skipped. */
let kernelThreads: Set<string> = new Set();

/** @returns all visible processes */
export function processes(): Process[] {
  const pids = list(PROC).filter((name) => /^\d+$/.test(name));
  // A PID may be reused by a process.
  kernelThreads = new Set(pids.filter((pid) => kernelThreads.has(pid)));
  return pids.flatMap((pid) => {
    if (kernelThreads.has(pid)) return [];
    const text = read(`${PROC}/${pid}/stat`);
    const found = parseStat(text);
    if (!found && text !== '') kernelThreads.add(pid);
    return found ?? [];
  });
}

/**
 * @param text content of /proc/<pid>/stat
 * @returns null if the process exited, or if it is a kernel thread
 */
export function parseStat(text: string): Process | null {
  // The name may contain spaces and parentheses.
  const end = text.lastIndexOf(') ');
  if (end < 0) return null;
  const start = text.indexOf(' (');
  const fields = text.slice(end + 2).split(' ');
  if ((Number(fields[6]) & KERNEL_THREAD) !== 0) return null;
  const seconds = (index: number) => Number(fields[index]) / TICKS;
  return {
    pid: Number(text.slice(0, start)),
    parent: Number(fields[1]),
    start: fields[19] ?? '',
    comm: text.slice(start + 2, end),
    own: seconds(11) + seconds(12),
    children: seconds(13) + seconds(14),
  };
}

/** @returns PIDs that listen on the port, among the processes whose file descriptors are readable */
export function listeners(port: number): number[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = new Set(
    ['tcp', 'tcp6'].flatMap((table) =>
      read(`${PROC}/net/${table}`)
        .split('\n')
        .flatMap((line) => {
          const fields = line.trim().split(/\s+/);
          return fields[1]?.endsWith(wanted) && fields[3] === LISTENING ? [`socket:[${fields[9]}]`] : [];
        }),
    ),
  );
  if (sockets.size === 0) return [];
  return list(PROC)
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => list(`${PROC}/${pid}/fd`).some((fd) => sockets.has(linkOf(`${PROC}/${pid}/fd/${fd}`))))
    .map(Number);
}

/** @returns the PID of this process as `processes` reports it */
export const ownPid = (): number => Number(linkOf(`${PROC}/self`));

/** The process that manages a Docker container. */
const SHIM = 'containerd-shim';

/** @returns the ID of each container with the PID of its root process */
export function containers(all: Process[]): [string, number][] {
  return all
    .filter(({ comm }) => comm.startsWith(SHIM))
    .flatMap(({ pid }) => {
      const words = read(`${PROC}/${pid}/cmdline`).split('\0');
      const id = words[words.indexOf('-id') + 1];
      return words.includes('-id') && id ? [[id, pid]] : [];
    });
}

function linkOf(path: string) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
