/**
 * Loaded into each process of the target with `--import`: holds as much heap as brings it to the share of its limit
 * that the file HEAP_SHARE_FILE names, for as long as there is such a file. What it reached goes into a file of its own
 * beside it.
 */
import cluster from 'node:cluster';
import { readFileSync, writeFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';

const LOOK_MS = 100;
const STEP_BYTES = 1024 * 1024;
/** No more at once: requests are being served meanwhile. */
const STEPS_A_LOOK = 48;

const file = process.env.HEAP_SHARE_FILE ?? '';
/** @type {number[][]} */
let held = [];
let peak = 0;

function look() {
  const share = wantedShare();
  if (share === 0) {
    held = [];
    peak = 0;
    return;
  }
  const { heap_size_limit: limit } = getHeapStatistics();
  const used = () => getHeapStatistics().used_heap_size;
  for (let step = 0; step < STEPS_A_LOOK && used() + STEP_BYTES <= share * limit; step += 1) {
    held.push(new Array(STEP_BYTES / 8).fill(step));
  }
  if (used() / limit <= peak) return;
  peak = used() / limit;
  writeFileSync(`${file}.${process.pid}`, peak.toFixed(3));
}

/** @returns {number} 0: nothing is to be held */
function wantedShare() {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

// The primary serves no request.
if (file !== '' && cluster.isWorker) setInterval(look, LOOK_MS).unref();
