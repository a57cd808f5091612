/**
 * Where in the dashboards the newest run is: prints path and query for Grafana and the viewer alike.
 *
 *   node viewer/newest-run.js     RESULTS_DIR: where results are [results]
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const OVERVIEW = '/d/mcp-overview';
/** What the overview shows of itself: of a run that ended within it most is seen, and a next one will be, too. */
const LIVE_MS = 10 * 60_000;
/** Before and after the run, so that its first and last points are inside. */
const MARGIN_MS = 15_000;

/**
 * @param {{testid?: string, started?: string | null, ended?: string | null} | null} run its document; null for none
 * @param {number} nowMs
 * @returns {string}
 */
export function addressOf(run, nowMs) {
  const [startMs, endMs] = [Date.parse(run?.started ?? ''), Date.parse(run?.ended ?? '')];
  if (!run?.testid || Number.isNaN(startMs) || Number.isNaN(endMs) || nowMs - endMs < LIVE_MS)
    return OVERVIEW;
  const parameters = new URLSearchParams({
    'var-testid': run.testid,
    from: String(startMs - MARGIN_MS),
    to: String(endMs + MARGIN_MS),
  });
  return `${OVERVIEW}?${parameters}`;
}

/** @param {string} folder @returns {any} null where no run has left a document that can be read */
function newestRun(folder) {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'latest', 'run.json'), 'utf8'));
  } catch {
    return null;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.env.RESULTS_DIR || fileURLToPath(new URL('../results', import.meta.url));
  process.stdout.write(`${addressOf(newestRun(folder), Date.now())}\n`);
}
