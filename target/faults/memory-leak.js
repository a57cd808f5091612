/** memory_leak_mb_per_minute: memory that this process takes, touches and keeps. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { log } from '../log.js';
import { onFaults } from './faults.js';

/** How often it takes what is due, ms. */
const INTERVAL = 100;

/** Not among the types of Node alone. @type {new (size: {initial: number, maximum: number}) => {buffer: ArrayBuffer, grow(pages: number): number}} */
const Memory = /** @type {any} */ (globalThis).WebAssembly.Memory;

const PAGE = 65_536;

/** The largest one memory can be is 65,536 pages; a quarter of that reserves less. */
const PAGES_OF_ONE = 16_384;

/**
 * Leaks this process' share. Pages of WebAssembly memory: they come from the kernel and lie nowhere else. What malloc gives
 * may have been resident before, and then nothing would grow.
 * @param {{slots: number}} place how many workers there are
 */
export function leakMemory({ slots }) {
  const born = Date.now();
  /** @type {InstanceType<typeof Memory>[]} */
  let memories = [];
  let pages = 0;
  /** Those that were there when the leak got its present pace. */
  let before = 0;
  let lastRate = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  /** @param {number} due pages in all */
  function take(due) {
    while (pages < due) {
      let memory = memories.at(-1);
      let size = memory ? memory.buffer.byteLength / PAGE : PAGES_OF_ONE;
      if (!memory || size === PAGES_OF_ONE) {
        memory = new Memory({ initial: 0, maximum: PAGES_OF_ONE });
        memories.push(memory);
        size = 0;
      }
      const more = Math.min(due - pages, PAGES_OF_ONE - size);
      memory.grow(more);
      new Uint8Array(memory.buffer, size * PAGE).fill(1);
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
      memories = [];
      pages = 0;
      return collectNow();
    }
    // A worker that was replaced begins anew: what its predecessor had is free.
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
