/** memory_leak_mb_per_minute: memory that this process allocates, touches and keeps. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { log } from '../log.js';
import { onFaults } from './faults.js';

/** Interval between allocations, ms. */
const INTERVAL = 100;

const PAGE = 65_536;

/** Maximum size of one buffer, in pages. This much address space is reserved for it. */
const PAGES_OF_ONE = 16_384;

/**
 * Leaks this process' share, in buffers that grow in place. Their pages come directly from the kernel. malloc may
 * return memory that is already resident, so resident memory would not grow. Growing in place creates no objects.
 * Growing WebAssembly memory does: V8 counts each new object at its full size, and garbage collection uses a third of a
 * core.
 * @param {{slots: number}} place slots: the number of workers
 */
export function leakMemory({ slots }) {
  const born = Date.now();
  /** @type {ArrayBuffer[]} */
  let buffers = [];
  let pages = 0;
  /** Pages allocated before the leak got its current rate. */
  let before = 0;
  let lastRate = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  /** @param {number} due total number of pages */
  function take(due) {
    while (pages < due) {
      let buffer = buffers.at(-1);
      if (!buffer || buffer.byteLength === PAGES_OF_ONE * PAGE) {
        buffer = new ArrayBuffer(0, { maxByteLength: PAGES_OF_ONE * PAGE });
        buffers.push(buffer);
      }
      const size = buffer.byteLength;
      const more = Math.min(due - pages, PAGES_OF_ONE - size / PAGE);
      buffer.resize(size + more * PAGE);
      new Uint8Array(buffer, size).fill(1);
      pages += more;
    }
  }

  onFaults(({ values, since }) => {
    clearInterval(timer);
    const rate = values.memory_leak_mb_per_minute;
    if (rate !== lastRate) before = pages;
    lastRate = rate;
    if (rate === 0) {
      if (pages === 0) return;
      buffers = [];
      pages = 0;
      return collectNow();
    }
    // A replaced worker starts at zero, because its predecessor's memory was freed.
    const start = Math.max(since.memory_leak_mb_per_minute, born);
    const bytesPerMs = (rate * 1e6) / slots / 60_000;
    timer = setInterval(() => {
      try {
        take(before + Math.floor(((Date.now() - start) * bytesPerMs) / PAGE));
      } catch (error) {
        clearInterval(timer);
        log('error', 'the memory leak stops: out of memory', { error: String(error) });
      }
    }, INTERVAL).unref();
  });
}

/** Frees the memory immediately, without waiting for the next garbage collection. */
function collectNow() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
