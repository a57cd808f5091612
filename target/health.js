import { faults } from './faults/faults.js';
import { activeFaults } from './faults/table.js';

/** How long a dependency may take to answer before it is considered down, ms. */
const TIMEOUT = 1000;

/**
 * @typedef {object} Health
 * @property {'up' | 'degraded'} status
 * @property {Record<string, {state: 'up' | 'down', latency_ms: number}>} dependencies
 * @property {string[]} faults names of the active faults
 */

/**
 * Checks all dependencies in parallel.
 * @param {Record<string, () => Promise<unknown>>} pings by name; each resolves when its dependency answers
 * @returns {Promise<Health>}
 */
export async function checkHealth(pings) {
  const checks = Object.entries(pings).map(async ([name, ping]) => {
    const start = performance.now();
    const state = await answers(ping);
    return [name, { state, latency_ms: Math.round(performance.now() - start) }];
  });
  const dependencies = Object.fromEntries(await Promise.all(checks));
  const up = Object.values(dependencies).every(({ state }) => state === 'up');
  return { status: up ? 'up' : 'degraded', dependencies, faults: Object.keys(activeFaults(faults)) };
}

/**
 * @param {() => Promise<unknown>} ping
 * @returns {Promise<'up' | 'down'>}
 */
function answers(ping) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('down'), TIMEOUT);
    ping()
      .then(
        () => resolve('up'),
        () => resolve('down'),
      )
      .finally(() => clearTimeout(timer));
  });
}
