/** A run of two phases, as a timeline has it: 60 s that are normal, then 60 s in which something is different. */

const START_S = Date.parse('2026-01-02T03:04:00Z') / 1000;
const STEP_S = 2;
const PHASE_S = 60;
const COUNT = (2 * PHASE_S) / STEP_S + 1;

/** Unit and level of every series while all is well: a request takes 10 ms, of which 4 ms are the database's. */
const NORMAL = /** @type {Record<string, [unit: string, level: number]>} */ ({
  'client.p99': ['milliseconds', 30],
  'client.mean': ['milliseconds', 10],
  'client.requests': ['rate', 100],
  'client.iterations': ['rate', 100],
  'client.offered': ['rate', 100],
  'client.failed': ['ratio', 0],
  request: ['seconds', 0.009],
  host_cpu: ['ratio', 0.4],
  cpu_steal: ['ratio', 0.01],
  process_starts: ['rate', 2],
  cpu: ['ratio', 0.2],
  generator_cpu: ['ratio', 0.05],
  generator_delay: ['milliseconds', 0.5],
  generator_allowed: ['ratio', 0.05],
  db_cpu: ['ratio', 0.05],
  cache_cpu: ['ratio', 0.01],
  stack_cpu: ['ratio', 0.03],
  other_cpu: ['ratio', 0.02],
  worker_cpu: ['ratio', 0.2],
  busiest_thread: ['ratio', 0.2],
  busiest_thread_cpu: ['ratio', 0.18],
  busiest_process: ['ratio', 0.2],
  threads: ['count', 40],
  peer_cpu: ['ratio', 0.05],
  eventloop_lag: ['seconds', 0.012],
  gc: ['ratio', 0.01],
  heap: ['ratio', 0.1],
  pool_utilization: ['ratio', 0.04],
  pool_connections_in_use: ['count', 1],
  pool_waiting: ['count', 0],
  pool_wait: ['seconds', 0.0001],
  db_query_duration: ['seconds', 0.002],
  db_query_rate: ['rate', 200],
  db_locks: ['count', 0],
  db_connections: ['ratio', 0.3],
  db_running: ['count', 0],
  db_io: ['count', 0],
  cache_hit: ['ratio', 0.9],
  cache_lookups: ['rate', 80],
  cache_time: ['seconds', 0.0005],
  cache_server_cpu: ['ratio', 0.05],
  upstream: ['seconds', 0.5],
  upstream_calls: ['rate', 0.5],
  upstream_timeouts: ['rate', 0],
  rate_limited: ['rate', 0],
  connections_in: ['count', 20],
  connections_unread: ['count', 0],
  accept_queue: ['ratio', 0],
  listen_overflows: ['rate', 0],
  restarts: ['count', 0],
  oom_kills: ['count', 0],
  memory_utilization: ['ratio', 0.4],
  cpu_throttled: ['ratio', 0],
  open_files: ['ratio', 0.1],
  db_clients: ['count', 5],
  db_clients_waiting: ['ratio', 0.1],
});
/** What the rules infer from connections, where a server says nothing itself. */
const INFERRED = [
  'db_clients',
  'db_clients_waiting',
  'db_query_duration',
  'db_query_rate',
  'upstream',
  'upstream_calls',
];
const PROGRAMS = /** @type {Record<string, string>} */ ({ busiest_process: 'python3', peer_cpu: 'postgres' });
/** What only a server says, or its pool, its cache, its database. */
const OWN = [
  ...[
    'request',
    'worker_cpu',
    'eventloop_lag',
    'gc',
    'heap',
    'pool_utilization',
    'pool_connections_in_use',
    'pool_waiting',
    'pool_wait',
  ],
  ...[
    'db_locks',
    'db_connections',
    'db_running',
    'db_io',
    'cache_hit',
    'cache_server_cpu',
    'upstream_timeouts',
    'rate_limited',
  ],
];

/**
 * @typedef {object} Difference
 * @property {Record<string, number | null>} [series] levels in the second phase; null: no samples in it
 * @property {Record<string, number>} [normal] other levels in both
 * @property {string[]} [missing] signals that there are not
 * @property {Record<string, number>} [afterS] seconds into the second phase until a series gets there; 0 by default
 * @property {Partial<import('../../../../analysis/judge/phases.ts').Phase>} [phase] figures of the second
 * @property {import('../../../../analysis/collect/timeline.ts').Timeline['operations']} [operations] by phase, calm and busy
 * @property {boolean} [outside] the server says nothing: there is only what the system knows of it
 * @property {import('../../../../analysis/capacity.ts').Capacity} [capacity] of the second phase
 * @property {boolean} [alone] there is no first phase
 * @property {Partial<import('../../../../analysis/judge/threshold.ts').Threshold>[]} [thresholds]
 * @property {import('../../../../analysis/collect/plan.ts').Objective[]} [objectives]
 *
 * @param {Difference} [difference]
 * @returns {import('../../../../analysis/bottleneck/bottleneck.ts').Facts & {timeline: import('../../../../analysis/collect/timeline.ts').Timeline}}
 */
export function facts({
  series = {},
  normal = {},
  missing = [],
  afterS = {},
  phase = {},
  operations = {},
  outside = false,
  capacity,
  alone = false,
  thresholds = [],
  objectives = [],
} = {}) {
  const level = (/** @type {string} */ name) => normal[name] ?? NORMAL[name]?.[1] ?? 0;
  const later = (/** @type {string} */ name) => (name in series ? (series[name] ?? null) : level(name));
  /** @type {import('../../../../analysis/collect/timeline.ts').Timeline} */
  const timeline = {
    schema: 'mcp-load-lab/timeline/1',
    testid: 'x',
    start_s: START_S,
    step_s: STEP_S,
    count: COUNT,
    window_s: 6,
    client: {},
    signals: {},
    operations,
  };
  for (const [name, [unit]] of Object.entries(NORMAL)) {
    if (missing.includes(name) || (outside && OWN.includes(name))) continue;
    const from = PHASE_S + (afterS[name] ?? 0);
    const values = Array.from({ length: COUNT }, (_, point) => {
      // No two points are alike in a real one.
      const wobble = 1 + 0.02 * Math.sin(point * 7 + name.length);
      const value = point * STEP_S >= from ? later(name) : level(name);
      return value === null ? null : value * wobble;
    });
    const isClient = name.startsWith('client.');
    (isClient ? timeline.client : timeline.signals)[name.replace('client.', '')] = {
      unit,
      values,
      ...(outside && INFERRED.includes(name) && { source: 'connections', destination: 'PostgreSQL' }),
      ...(PROGRAMS[name] && { program: PROGRAMS[name] }),
    };
  }
  const first = phaseOf('calm', 0, {}, level);
  const second = phaseOf('busy', PHASE_S, phase, (name) => later(name) ?? 0);
  const phases = alone ? [second] : [first, second];
  return {
    plan: /** @type {any} */ ({
      phases: phases.map(({ name }, index) => ({ name, start_s: index * PHASE_S })),
      objectives,
    }),
    phases,
    thresholds: /** @type {any} */ (thresholds),
    timeline,
    capacities: capacity ? [capacity] : [],
  };
}

/**
 * @param {string} name
 * @param {number} startS
 * @param {Partial<import('../../../../analysis/judge/phases.ts').Phase>} more
 * @param {(name: string) => number} level
 * @returns {import('../../../../analysis/judge/phases.ts').Phase}
 */
function phaseOf(name, startS, more, level) {
  const requests = Math.round(level('client.requests') * PHASE_S);
  const failed = Math.round(level('client.failed') * requests);
  const [avg, p99] = [level('client.mean'), level('client.p99')];
  return {
    name,
    measured: true,
    overload: false,
    labels: {},
    start: new Date((START_S + startS) * 1000).toISOString(),
    end: new Date((START_S + startS + PHASE_S) * 1000).toISOString(),
    duration_s: PHASE_S,
    completed: true,
    offered_rps: level('client.offered'),
    vus: null,
    iterations: Math.round(level('client.iterations') * PHASE_S),
    iterations_planned: null,
    achieved_rps: level('client.iterations'),
    requests,
    requests_per_s: requests / PHASE_S,
    answered: requests - failed,
    failed,
    dropped: 0,
    failure_rate: failed / requests,
    latency_ms: { min: 1, avg, p50: avg, p75: avg, p90: avg, p95: p99, p99, p999: p99, max: p99 },
    failures: failed > 0 ? { tool: failed } : {},
    items: null,
    items_per_s: null,
    ...more,
  };
}

/** @param {number} perS @param {number} parallelism @returns {import('../../../../analysis/capacity.ts').Capacity} of the second phase */
export const answering = (perS, parallelism) => {
  const about = (/** @type {number} */ value) => ({ value, low: 0.9 * value, high: 1.1 * value });
  return {
    phase: 'busy',
    baseline: 'calm',
    waited: { fromS: START_S + PHASE_S, toS: START_S + 2 * PHASE_S },
    fromS: START_S + PHASE_S,
    toS: START_S + 2 * PHASE_S,
    answers_per_s: about(perS),
    service_ms: about((1000 * parallelism) / perS),
    parallelism: about(parallelism),
  };
};
