/**
 * What Linux tells in /proc about the processes of this machine: who they are, what CPU they used and waited for, and what they may use.
 */
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';

export interface Process {
  pid: number;
  /** Its pid. */
  parent: number;
  /** Tells it from a later one with the same pid. */
  start: string;
  /** The program's name, never its arguments: those may hold secrets. */
  comm: string;
  /** Seconds of CPU that it used. */
  own: number;
  /** Seconds of CPU of those that it has waited for. */
  children: number;
}

/** A container sees its own processes in /proc, and the machine's where somebody mounted them. */
const PROC = process.env.HOST_PROC || '/proc';
/** Clock ticks a second in /proc: 100 on every Linux that Node runs on. */
const TICKS = 100;
/** Of a process' flags: PF_KTHREAD. */
const KERNEL_THREAD = 0x00200000;
/** In the tables of /proc/net: TCP_LISTEN. */
const LISTENING = '0A';

/** The kernel makes such a file as it is read, and says no size before. */
const buffer = Buffer.alloc(1 << 20);

/** @returns '' where it can't be read: processes come and go */
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

/** Threads of the kernel, which are half of what is listed, and of no interest. */
let kernelThreads: Set<string> = new Set();

/** @returns all that are visible */
export function processes(): Process[] {
  const pids = list(PROC).filter((name) => /^\d+$/.test(name));
  // A number that is free again may become a process'.
  kernelThreads = new Set(pids.filter((pid) => kernelThreads.has(pid)));
  return pids.flatMap((pid) => {
    if (kernelThreads.has(pid)) return [];
    const text = read(`${PROC}/${pid}/stat`);
    const found = parseStat(text);
    if (!found && text !== '') kernelThreads.add(pid);
    return found ?? [];
  });
}

/** @param text of /proc/<pid>/stat @returns null: gone, or a thread of the kernel */
export function parseStat(text: string): Process | null {
  // The name may hold blanks and brackets.
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

/** @returns the processes that listen there, of those whose files may be looked at */
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

/** @returns this process, by the number that `processes` has for it */
export const ownPid = (): number => Number(linkOf(`${PROC}/self`));

/** The program that keeps a container of Docker's running. */
const SHIM = 'containerd-shim';

/** @returns a container's id and its root process, which all others of the container come from */
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
