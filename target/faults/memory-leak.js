/** memory_leak_mb_per_minute: memory that this process takes, touches and keeps. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { log } from '../log.js';
import { onFaults } from './faults.js';

/** How often it takes what is due, ms. */
const INTERVAL = 100;

const PAGE = 65_536;

/** What one buffer may grow to, so much is reserved for it. */
const PAGES_OF_ONE = 16_384;

/**
 * Leaks this process' share. Buffers that grow in place: their pages come from the kernel and lie nowhere else, where what malloc
 * gives may have been resident before, and then nothing would grow. Nor is there a new object at each step, as of WebAssembly's
 * memory: V8 counts each at its full size, and collects garbage for them with a third of a core.
 * @param {{slots: number}} place how many workers there are
 */
export function leakMemory({ slots }) {
  const born = Date.now();
  /** @type {ArrayBuffer[]} */
  let buffers = [];
  let pages = 0;
  /** Those that were there when the leak got its present pace. */
  let before = 0;
  let lastRate = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  /** @param {number} due pages in all */
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
    // A worker that was replaced starts from zero: what its predecessor had is free.
    const start = Math.max(since.memory_leak_mb_per_minute, born);
    const bytesPerMs = (rate * 1e6) / slots / 60_000;
    timer = setInterval(() => {
      try {
        take(before + Math.floor(((Date.now() - start) * bytesPerMs) / PAGE));
      } catch (error) {
        clearInterval(timer);
        log('error', 'the memory leak ends: there is no more', { error: String(error) });
      }
    }, INTERVAL).unref();
  });
}

/** What was dropped is to be gone at once, not when the collector finds time. */
function collectNow() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
