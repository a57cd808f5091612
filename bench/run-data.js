/**
 * The series of a made-up run, as k6 and the recording rules write them: every two seconds, with k6's labels and its
 * native histograms.
 */
import { SIGNALS } from '../dashboards/signal-catalogue.js';

export const TESTID = 'bench-viewer';
const PUSH_MS = 2000;

const OPERATIONS = [
  ['search_users', 'read'],
  ['get_user', 'read'],
  ['list_orders', 'read'],
  ['fetch_weather', 'complex'],
  ['generate_report', 'complex'],
  ['update_user', 'write'],
  ['create_order', 'write'],
  ['delete_order', 'write'],
].map(([operation = '', kind = '']) => ({ operation, class: kind, method: 'tools/call' }));

/** Of an hour, and what follows it. */
const PHASES = [
  { phase: 'baseline', untilS: 900, rps: 100 },
  { phase: 'spike', untilS: 1800, rps: 800 },
  { phase: 'recovery', untilS: 2700, rps: 100 },
  { phase: 'recovered', untilS: Number.POSITIVE_INFINITY, rps: 100 },
];
const FAILURES = ['timeout', 'rate_limited', 'http_5xx', 'tool'];

/** k6 makes eight buckets of every doubling: 2 ** (index / 8) is an upper end. */
const SCHEMA = 3;
const BUCKETS = 72;
const LOWEST = -76;

/** The same sequence every time. @param {number} seed */
function random(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Makes the run's samples push by push: counters go on where they were. */
export class RunData {
  #random = random(7);
  #startMs;
  #timeMs;
  /** @type {Map<string, {labels: Record<string, string>, count: number}>} */
  #counters = new Map();
  /** @type {Map<string, {labels: Record<string, string>, counts: number[], sum: number}>} */
  #histograms = new Map();

  /** @param {number} startMs when the run begins */
  constructor(startMs) {
    this.#startMs = startMs;
    this.#timeMs = startMs;
  }

  /**
   * @param {number} untilMs
   * @returns {Generator<import('./remote-write.js').WrittenSeries[]>} all pushes up to then, oldest first
   */
  *pushes(untilMs) {
    for (; this.#timeMs <= untilMs; this.#timeMs += PUSH_MS) yield this.#push();
  }

  /** @returns {import('./remote-write.js').WrittenSeries[]} one push's */
  #push() {
    const timeMs = this.#timeMs;
    const elapsedS = (timeMs - this.#startMs) / 1000;
    const { phase = '', rps = 0 } = PHASES.find(({ untilS }) => elapsedS < untilS) ?? {};
    const run = { testid: TESTID, test: 'spike', profile: 'full', phase, scenario: phase };
    const isSpike = phase === 'spike';
    /** @type {import('./remote-write.js').WrittenSeries[]} */
    const series = [];
    /** @param {string} name @param {Record<string, string>} labels @param {number} value */
    const gauge = (name, labels, value) =>
      series.push({ labels: { __name__: name, ...labels }, samples: [{ timeMs, value }] });
    /** @param {string} name @param {Record<string, string>} labels @param {number} added */
    const counter = (name, labels, added) => {
      const key = JSON.stringify([name, labels]);
      const known = this.#counters.get(key) ?? { labels, count: 0 };
      known.count += Math.round(added);
      this.#counters.set(key, known);
      gauge(name, labels, known.count);
    };
    for (const operation of OPERATIONS) {
      const calls = (rps / OPERATIONS.length) * (PUSH_MS / 1000) * (0.9 + 0.2 * this.#random());
      counter('k6_mcp_requests_total', { ...run, ...operation }, calls);
      series.push(this.#latency({ ...run, ...operation }, Math.round(calls), isSpike));
      if (isSpike) {
        for (const kind of FAILURES)
          counter('k6_mcp_failures_total', { ...run, ...operation, kind }, 3 * this.#random());
      }
    }
    counter('k6_iterations_total', run, rps * (PUSH_MS / 1000));
    if (isSpike) counter('k6_dropped_iterations_total', run, 30 * this.#random());
    gauge('k6_mcp_offered_rps', run, rps);
    const said = { testid: TESTID, test: 'spike', profile: 'full' };
    gauge('k6_mcp_started_seconds', { ...said, server: 'reference', era: 'modern' }, this.#startMs / 1000);
    for (const objective of ['p95', 'p99']) {
      gauge('k6_mcp_objective', { ...said, objective, phase }, objective === 'p95' ? 0.5 : 1);
    }
    for (const name of Object.keys(SIGNALS)) {
      const labels = name.startsWith('generator_')
        ? { testid: TESTID }
        : /^host_|^network|^disk/.test(name)
          ? {}
          : { server: 'reference' };
      gauge(`signal:${name}`, /** @type {any} */ (labels), (isSpike ? 0.6 : 0.2) + 0.2 * this.#random());
    }
    return series;
  }

  /** @param {Record<string, string>} labels @param {number} calls @param {boolean} isSlow */
  #latency(labels, calls, isSlow) {
    const key = JSON.stringify(labels);
    const known = this.#histograms.get(key) ?? { labels, counts: new Array(BUCKETS).fill(0), sum: 0 };
    for (let call = 0; call < calls; call++) {
      // About log-normal: the sum of a few uniform ones.
      const spread = (this.#random() + this.#random() + this.#random() + this.#random()) / 4;
      const bucket = Math.min(BUCKETS - 1, Math.floor(spread * 50) + (isSlow ? 20 : 0));
      known.counts[bucket] += 1;
      known.sum += 2 ** ((LOWEST + bucket) / 2 ** SCHEMA);
    }
    this.#histograms.set(key, known);
    const histogram = {
      timeMs: this.#timeMs,
      schema: SCHEMA,
      first: LOWEST,
      counts: [...known.counts],
      sum: known.sum,
    };
    return { labels: { __name__: 'k6_mcp_request_duration_seconds', ...labels }, histograms: [histogram] };
  }
}
