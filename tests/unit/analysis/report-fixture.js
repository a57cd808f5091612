/** A run as its document and timeline have it, made from data: every part of a report has something to show. */
import { gridOf } from '../../../analysis/collect/timeline.ts';
import { gauge, objective, QUIET_LOG, runOf, signal, summary, trend } from './build.js';

/** @typedef {import('../../../analysis/collect/timeline.ts').Timeline} Timeline */

/** @type {[name: string, unit: string, low: number, high: number][]} where a signal is, and where it comes to in the spike */
const SIGNALS = [
  ['generator_cpu', 'ratio', 0.11, 0.46],
  ['generator_memory', 'bytes', 2e8, 4.4e8],
  ['host_cpu', 'ratio', 0.2, 0.97],
  ['target_process_cpu', 'ratio', 0.06, 0.3],
  ['db_cpu', 'ratio', 0.02, 0.11],
  ['other_cpu', 'ratio', 0.01, 0.01],
  ['cache_cpu', 'ratio', 0, 0],
  ['cpu', 'ratio', 0.05, 0.31],
  ['memory', 'bytes', 1.8e8, 2.6e8],
  ['eventloop_lag', 'seconds', 0.011, 0.034],
  ['pool_utilization', 'ratio', 0.12, 1],
  ['pool_waiting', 'count', 0, 212],
  ['pool_wait', 'seconds', 0, 1.42],
  ['db_transactions', 'rate', 210, 640],
  ['cache_hit', 'ratio', 0.92, 0.93],
  ['upstream', 'seconds', 0.02, 0.021],
  ['never_heard_of', 'rate', 3, 4],
  ['deadlocks', 'rate', 0, 0],
  ['redis_evictions', 'rate', 0, 0],
];

const OPERATIONS = [
  'get_user',
  'search_users',
  'update_user',
  'generate_report',
  'fetch_weather',
  'process_batch',
];

/** What a server says of itself to get out of a table, a shell, a spreadsheet or a page. */
export const HOSTILE =
  '|`</td></script><script>alert(1)</script><!-- "\' onload=x [x](http://evil) ![i](//e) @all ]]> =1+1';

/** A run whose pool was too small for its spike. @returns {Promise<import('../../../analysis/judge/run.ts').Run>} */
export async function spikeRun() {
  const run = await runOf(
    {
      summary: summary({
        phases: [
          { name: 'warm-up', measured: false },
          { name: 'baseline', duration_s: 60, offered_rps: 100, figures: { iterations: 6000, p99: 32 } },
          {
            name: 'spike',
            duration_s: 40,
            offered_rps: 2000,
            overload: true,
            figures: {
              iterations: 48_000,
              dropped: 32_000,
              failures: { timeout: 120, tool: 40, rate_limited: 900 },
              p99: 1934.5,
            },
          },
          {
            name: 'recovery',
            duration_s: 40,
            offered_rps: 100,
            overload: true,
            figures: { iterations: 4000, p99: 900 },
          },
          { name: 'recovered', offered_rps: 100, figures: { iterations: 2000, p99: 91 } },
        ],
        objectives: ['baseline', 'recovered'].flatMap((name) => [
          objective(name, 'delivered_share', '>=', 0.95),
          objective(name, 'p99_ms', '<', 85),
          objective(name, 'failure_rate', '<', 0.001),
        ]),
        plan: {
          title: 'A sudden crowd, and what is left of it',
          operations: OPERATIONS.map((operation) => ({ operation, method: 'tools/call', class: 'read' })),
          reference_machine: { cores: 64, memory_bytes: 1 },
        },
        metrics: {
          ...Object.fromEntries(
            OPERATIONS.map((name) => [
              `mcp_request_duration{operation:${name}}`,
              { values: trend(1234, 5000) },
            ]),
          ),
          ...Object.fromEntries(
            OPERATIONS.map((name) => [`mcp_requests{operation:${name}}`, { values: { count: 5000 } }]),
          ),
          'mcp_failure_seconds{kind:timeout}': gauge(92.25, 121),
          'mcp_failure_seconds{kind:rate_limited}': gauge(83.5, 119.25),
        },
      }),
      k6Exit: 99,
      settings: { POOL_SIZE: '2', WORKERS: '1' },
      log: { ...QUIET_LOG, samples: { tool: 'get_user: no connection to the database within 2 s' } },
    },
    {
      signals: ['baseline', 'spike', 'recovery', 'recovered'].flatMap((phase) =>
        SIGNALS.map(([name, unit, low, high]) => signal(name, phase, phase === 'spike' ? high : low, unit)),
      ),
    },
  );
  const at = new Date(Date.parse(run.started ?? '') + 94_000).toISOString();
  /** @type {import('../../../analysis/findings/finding.ts').Finding[]} */
  const found = [
    {
      kind: 'bottleneck',
      subject: 'connection pool',
      phase: 'spike',
      confidence: 'high',
      statement:
        'the connection pool limited spike: all of its connections were in use while the database was idle',
      figures: { pool_used_share: 1 },
      evidence: [
        'pool utilization went from 12 % in baseline to 100 % in spike, 14 s before p99 left its band',
        'the database ran 0.4 statements at a time: a full pool with an idle database is the pool',
      ],
      observations: [
        { series: 'pool_utilization', unit: 'ratio', from: 0.12, to: 1, threshold: 0.98, at },
        { series: 'pool_wait', unit: 'seconds', from: 0, to: 1.42, threshold: 0.005, at },
        { series: 'client.p99', unit: 'milliseconds', from: 32, to: 1934.5, threshold: 96, at },
        { series: 'never_collected', unit: 'count', from: null, to: null, threshold: null, at: null },
      ],
    },
    {
      kind: 'leak',
      subject: 'memory',
      phase: null,
      confidence: 'inconclusive',
      statement: 'inconclusive whether memory grows: 20 s after warm-up',
      figures: {},
      evidence: [],
    },
  ];
  return { ...run, findings: [...found, ...run.findings] };
}

/** @param {number} seed @returns {() => number} 0 to 1, the same each time (mulberry32) */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * @param {import('../../../analysis/judge/run.ts').Run} run
 * @param {typeof SIGNALS} [signals]
 * @returns {Timeline} low outside of an overload that is a peak, high in it, with some noise
 */
export function timelineOf(run, signals = SIGNALS) {
  const grid = gridOf(run.phases);
  if (!grid) throw new Error('the run has no phases');
  const chance = random(7);
  const times = Array.from({ length: grid.count }, (_, index) => (grid.start_s + index * grid.step_s) * 1000);
  const peak = run.phases.find(({ name }) => name === 'spike') ?? run.phases.at(-1);
  const [from, to] = [Date.parse(peak?.start ?? ''), Date.parse(peak?.end ?? '')];
  /** @param {string} unit @param {number} low @param {number} high @param {number} [noise] */
  const series = (unit, low, high, noise = 0.06) => ({
    unit,
    values: times.map((ms) => {
      const share =
        ms < from || ms > to + 12_000 ? 0 : Math.min(1, (ms - from) / 14_000, (to + 12_000 - ms) / 12_000);
      const value = (low + (high - low) * share) * (1 + noise * (chance() - 0.5));
      return Number((unit === 'ratio' ? Math.min(1, value) : value).toPrecision(6));
    }),
  });
  /** @param {string} unit @param {(phase: import('../../../analysis/judge/run.ts').Run['phases'][number]) => number | null} value */
  const byPhase = (unit, value) => ({
    unit,
    values: times.map((ms) => {
      const phase = run.phases.find(
        ({ start, end }) => Date.parse(start ?? '') <= ms && ms < Date.parse(end ?? ''),
      );
      return phase ? value(phase) : null;
    }),
  });
  return {
    schema: 'mcp-load-lab/timeline/1',
    testid: run.testid,
    ...grid,
    client: {
      p50: series('milliseconds', 6, 610),
      p95: series('milliseconds', 18, 1500),
      p99: series('milliseconds', 30, 1930, 0.2),
      mean: series('milliseconds', 8, 720),
      requests: series('rate', 100, 1200),
      answered: series('rate', 100, 1100),
      iterations: series('rate', 100, 1200),
      offered: byPhase('rate', ({ offered_rps }) => offered_rps),
      dropped: series('rate', 0, 800),
      failed: series('ratio', 0, 0.022),
      vus: series('count', 12, 400, 0),
      failures_timeout: series('rate', 0, 3),
      failures_tool: series('rate', 0, 1),
      failures_rate_limited: series('rate', 0, 22),
    },
    signals: Object.fromEntries(signals.map(([name, unit, low, high]) => [name, series(unit, low, high)])),
  };
}
