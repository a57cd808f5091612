/**
 * Loaded into each process of the target with `--import`: holds as much heap as brings it to the share of HEAP_LIMIT_MB
 * that the file HEAP_SHARE_FILE names, for as long as there is such a file. What it reached goes into a file of its own
 * next to it.
 */
import cluster from 'node:cluster';
import { readFileSync, writeFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';

const LOOK_MS = 100;
/** No more at once: requests are being served meanwhile. */
const MOST_BYTES = 64 * 1024 * 1024;
const ARRAY_BYTES = 1024 * 1024;

/** V8's own figure has room for young objects on top, which the old ones can't use. */
const limit = Number(process.env.HEAP_LIMIT_MB) * 1024 * 1024;
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
  const missing = share * limit - getHeapStatistics().used_heap_size;
  for (let left = Math.min(missing, MOST_BYTES); left >= ARRAY_BYTES; left -= ARRAY_BYTES) {
    held.push(new Array(ARRAY_BYTES / 8).fill(0));
  }
  const reached = getHeapStatistics().used_heap_size / limit;
  if (reached <= peak) return;
  peak = reached;
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
