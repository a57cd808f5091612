/**
 * `make bench-prometheus`: what the series of many generators cost the one Prometheus that all of them write to. It gets requests
 * as k6 sends them, one from each generator every two seconds of a made-up run; k6 itself is not part of this. The figures
 * of a generator are those that bench/series.js printed of `make spike`.
 */
import { count, run, say, startPrometheus } from './harness.js';
import { remoteWrite } from './remote-write.js';
import { printTable } from './table.js';

const GENERATORS = count('GENERATORS', 100);
const PUSHES = count('PUSHES', 50);
const PUSH_S = 2;
/** Of five phases with five operations. */
const SERIES = 350;
/** That grow in any one phase, half of them histograms, as half of all are. */
const ACTIVE = 90;
const BUCKETS = 30;

/** @param {number} generator @param {number} index */
const labels = (generator, index) => ({
  __name__: index % 2 === 0 ? 'k6_mcp_request_duration_seconds' : 'k6_mcp_requests_total',
  testid: 'bench',
  test: 'spike',
  profile: 'full',
  generator: `spike-${generator}`,
  instance_id: String(generator),
  testrun_name: 'spike',
  phase: `phase-${Math.floor(index / (SERIES / 5))}`,
  operation: `operation-${index}`,
  class: 'read',
  method: 'tools/call',
  scenario: 'spike',
});

/** @param {number} generator @param {number} index @param {number} timeMs @param {number} push */
function one(generator, index, timeMs, push) {
  const grown = (push + 1) * (1 + (index % 7));
  const own = labels(generator, index);
  if (index % 2 === 1) return { labels: own, samples: [{ timeMs, value: grown }] };
  const counts = Array.from({ length: BUCKETS }, (_, at) => grown * (1 + Math.min(at, BUCKETS - at)));
  return { labels: own, histograms: [{ timeMs, schema: 3, first: -40, counts, sum: grown * 10 }] };
}

/** @param {string} url @returns {Promise<(name: string) => number>} of what Prometheus says of itself */
async function own(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** @param {string} url @param {string} query @param {number} timeS @returns {Promise<number>} seconds */
async function asked(url, query, timeS) {
  const started = performance.now();
  const parameters = new URLSearchParams({ query, time: String(timeS) });
  const answer = await fetch(`${url}/api/v1/query?${parameters}`);
  const { status, error } = /** @type {any} */ (await answer.json());
  if (status !== 'success') throw new Error(`${query}: ${error}`);
  return (performance.now() - started) / 1000;
}

await run(async ({ folder, later }) => {
  const prometheus = await startPrometheus(folder);
  later(prometheus.stop);
  const startMs = Date.now() - PUSHES * PUSH_S * 1000;
  const before = await own(prometheus.url);
  let samples = 0;
  for (let push = 0; push < PUSHES; push += 1) {
    const timeMs = startMs + push * PUSH_S * 1000;
    // Each series once; then those of the phase that is on.
    const [first, length] = push === 0 ? [0, SERIES] : [SERIES - ACTIVE, ACTIVE];
    for (let generator = 0; generator < GENERATORS; generator += 1) {
      const series = Array.from({ length }, (_, at) => one(generator, first + at, timeMs, push));
      await remoteWrite(prometheus.url, series);
      samples += length;
    }
    if (push % 10 === 0) say(`push ${push} of ${PUSHES} ...`);
  }
  const after = await own(prometheus.url);
  const grown = (/** @type {string} */ name) => after(name) - before(name);
  const range = `${PUSHES * PUSH_S + 60}s`;
  const selector = `{__name__=~"k6_.+",testid="bench"}[${range}]`;
  const judged = await asked(prometheus.url, `last_over_time(${selector})`, Date.now() / 1000);
  const series = after('prometheus_tsdb_head_series');
  printTable(
    ['what', 'figure'],
    [
      ['generators', String(GENERATORS)],
      ['series', series.toLocaleString('en')],
      ['samples', samples.toLocaleString('en')],
      ['CPU a sample', `${((grown('process_cpu_seconds_total') / samples) * 1e6).toFixed(1)} µs`],
      ['resident set a series', `${(grown('process_resident_memory_bytes') / series / 1000).toFixed(1)} KB`],
      ["the judge's largest query", `${judged.toFixed(2)} s`],
    ],
  );
  return true;
});
