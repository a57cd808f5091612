/**
 * This module is loaded into each target process with `--import`. While HEAP_SHARE_FILE exists, the module
 * fills the heap to the share of HEAP_LIMIT_MB given in the file, and writes the share reached to a file next
 * to it.
 */
import cluster from 'node:cluster';
import { readFileSync, writeFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';

const LOOK_MS = 100;
/** Maximum allocation per step: the process continues to serve requests. */
const MAX_BYTES = 64 * 1024 * 1024;
const ARRAY_BYTES = 1024 * 1024;

/** Not V8's own heap limit, which includes space for the young generation. */
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
  for (let left = Math.min(missing, MAX_BYTES); left >= ARRAY_BYTES; left -= ARRAY_BYTES) {
    held.push(new Array(ARRAY_BYTES / 8).fill(0));
  }
  const reached = getHeapStatistics().used_heap_size / limit;
  if (reached <= peak) return;
  peak = reached;
  writeFileSync(`${file}.${process.pid}`, peak.toFixed(3));
}

/** @returns {number} 0 = hold nothing */
function wantedShare() {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

// The primary does not serve requests.
if (file !== '' && cluster.isWorker) setInterval(look, LOOK_MS).unref();
