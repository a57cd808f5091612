#!/usr/bin/env node
/**
 * Prints how far a test is: a line every ten seconds of each measured phase, with figures of k6's own API.
 *
 *   node analysis/progress.js <port of k6's API> <plan.json>
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const INTERVAL_S = 10;

/**
 * @typedef {{name: string, seconds: number, at_s: number}} Moment to tell of: so many seconds of that phase
 *
 * @typedef {{id: string, attributes: {sample: Record<string, number>}}} ApiMetric
 */

/**
 * @param {import('./summary.js').PlannedPhase[]} phases
 * @returns {Moment[]}
 */
export function moments(phases) {
  return phases
    .filter(({ measured }) => measured)
    .flatMap(({ name, start_s, duration_s }) => {
      const count = Math.ceil(duration_s / INTERVAL_S) - 1;
      const seconds = Array.from({ length: Math.max(0, count) }, (_, index) => (index + 1) * INTERVAL_S);
      return [0, ...seconds].map((elapsed) => ({ name, seconds: elapsed, at_s: start_s + elapsed }));
    });
}

/**
 * @param {Moment} moment
 * @param {ApiMetric[]} metrics
 * @returns {string}
 */
export function line({ name, seconds }, metrics) {
  if (seconds === 0) return `Running ${name}...`;
  const sample = (/** @type {string} */ metric) =>
    metrics.find(({ id }) => id === `${metric}{phase:${name}}`)?.attributes.sample;
  const requests = sample('mcp_requests')?.count ?? 0;
  const average = sample('mcp_request_duration')?.avg;
  const latency = requests > 0 && average !== undefined ? `${average.toFixed(2)}ms` : '-';
  return `  ${seconds}s: ${requests} requests, avg latency: ${latency}`;
}

/**
 * @param {string} port
 * @returns {Promise<ApiMetric[] | null>} null: it does not listen yet, or any more
 */
async function metricsOf(port) {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/metrics`, {
      signal: AbortSignal.timeout(2000),
    });
    return /** @type {{data: ApiMetric[]}} */ (await response.json()).data;
  } catch {
    return null;
  }
}

/**
 * @param {string} port
 * @param {string} planFile
 */
async function tell(port, planFile) {
  const { phases } = JSON.parse(readFileSync(planFile, 'utf8'));
  let zeroS = 0;
  while (zeroS === 0) {
    await sleep(100);
    const metrics = await metricsOf(port);
    zeroS = metrics?.find(({ id }) => id === 'mcp_started_seconds')?.attributes.sample.value ?? 0;
  }
  for (const moment of moments(phases)) {
    await sleep(Math.max(0, (zeroS + moment.at_s) * 1000 - Date.now()));
    process.stdout.write(`${line(moment, (await metricsOf(port)) ?? [])}\n`);
  }
}

// Whoever starts it ends it, with the test.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [port = '', planFile = ''] = process.argv.slice(2);
  await tell(port, planFile);
}
