/** Kernel limits of a server for a bench: memory and CPU of a cgroup, and open files. Cgroups require root. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Limits {
  memoryBytes?: number;
  /** CPU quota, in cores. */
  cores?: number;
  openFiles?: number;
}

const PERIOD_US = 100_000;
const ROOT = '/sys/fs/cgroup';

/** The settings of each cgroup version, by file. */
function settings({ memoryBytes, cores }: Limits, name: string): Record<string, Record<string, string>> {
  const quota = String(Math.round((cores ?? 0) * PERIOD_US));
  if (existsSync(join(ROOT, 'cgroup.controllers'))) {
    writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+memory +cpu');
    return {
      [join(ROOT, name)]: {
        ...(memoryBytes && { 'memory.max': String(memoryBytes) }),
        ...(cores && { 'cpu.max': `${quota} ${PERIOD_US}` }),
      },
    };
  }
  return {
    ...(memoryBytes && { [join(ROOT, 'memory', name)]: { 'memory.limit_in_bytes': String(memoryBytes) } }),
    ...(cores && {
      [join(ROOT, 'cpu', name)]: { 'cpu.cfs_period_us': String(PERIOD_US), 'cpu.cfs_quota_us': quota },
    }),
  };
}

/**
 * @param restarts whether the program is restarted when it exits, as a container engine does
 * @returns the words to put before a command, and a function that removes the cgroup after the program has exited
 */
export function limited(
  limits: Limits,
  { restarts = false } = {},
): { words: string[]; remove: () => Promise<void> } {
  const groups = Object.entries(settings(limits, `mcp-load-lab-bench-${process.pid}`));
  for (const [folder, files] of groups) {
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  }
  const folders = groups.map(([folder]) => folder);
  const script = `${folders.map((folder) => `echo $$ >${folder}/cgroup.procs`).join(' && ')} && ${restarts ? 'while :; do "$@"; sleep 0.5; done' : 'exec "$@"'}`;
  return {
    words: [
      ...(limits.openFiles ? ['prlimit', `--nofile=${limits.openFiles}`, '--'] : []),
      ...(folders.length > 0 ? ['sh', '-c', script, 'sh'] : []),
    ],
    // A killed process stays in the cgroup until its memory is freed.
    remove: async () => {
      for (const folder of folders) {
        for (
          let waited = 0;
          waited < 50 && readFileSync(join(folder, 'cgroup.procs'), 'utf8') !== '';
          waited += 1
        )
          await sleep(100);
        rmdirSync(folder);
      }
    },
  };
}
