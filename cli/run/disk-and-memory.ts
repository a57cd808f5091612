/**
 * Checks the available disk space and memory before a run. If either runs out during the load, the run fails.
 */
import { broken } from '../ending.ts';
import { MEMORY_OF_USER } from '../k6.ts';
import { freeDisk, freeMemory } from '../machine.ts';
import { common, resultsFolder, runFolder, stackKind } from '../stack.ts';

/** Minimum MiB of a run: disk, k6 without VUs, the monitoring, and the reference target. */
const DISK = 64;
const MEMORY = { load: 200, watching: 120, reference: 380 };

/** @throws {Ending} if there is too little space for the results */
export function checkDisk() {
  for (const folder of [resultsFolder(), runFolder()]) {
    const free = freeDisk(folder);
    if (free < DISK)
      throw broken(
        `only ${free} MiB are free in ${folder}, but a run needs up to ${DISK}; free some space, or set RESULTS_DIR or RUN_DIR to another folder`,
      );
  }
}

/** @throws {Ending} if there is too little memory */
export async function checkMemory(users: number) {
  if (stackKind() !== 'native') return;
  const running = (
    await common('for name in prometheus target; do process_of $name >/dev/null && echo $name; done; true')
  ).split('\n');
  const { GENERATOR_MEMORY } = process.env;
  const ofK6 = Math.min(MEMORY.load + users * MEMORY_OF_USER, Number(GENERATOR_MEMORY || Infinity));
  const needed =
    ofK6 +
    (running.includes('prometheus') ? 0 : MEMORY.watching) +
    (process.env.TARGET_URL || running.includes('target') ? 0 : MEMORY.reference);
  const free = freeMemory() ?? needed;
  if (free < needed)
    throw broken(
      `only ${free} MiB of memory are free, but this run needs about ${needed}, of which k6 with ${users} VUs needs ${ofK6}; stop other programs, lower MAX_VUS, or limit k6 with GENERATOR_MEMORY=MiB (k6 exits if the limit is too low)`,
    );
}
