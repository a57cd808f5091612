import { setTimeout } from 'k6/timers';

/** Waits without blocking the VU. @param {number} ms Unix time @returns {Promise<void>} */
export const until = (ms) =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), Math.max(0, ms - Date.now())));
