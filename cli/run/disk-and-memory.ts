/**
 * Checks disk and memory before a run, because running out of them would end it in the middle of the load.
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
        `${free} MiB can be written to ${folder}, and a run takes up to ${DISK}; make room there, or set RESULTS_DIR or RUN_DIR to a folder elsewhere`,
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
      `${free} MiB of memory are free, and what this run starts takes some ${needed}, ${ofK6} of them k6 with ${users} users; end something else, have fewer users with MAX_VUS, or say with GENERATOR_MEMORY how many MiB k6 may have (it ends where they are too few)`,
    );
}
