/**
 * Makes the inputs of the analysis from data: what the output lab writes, and what comes with it.
 */
import assert from 'node:assert/strict';
import { phases } from '../../../analysis/judge/phases.ts';
import { makeRun } from '../../../analysis/judge/run.ts';
import { tableModuleOf } from '../../../analysis/tables/report-tables.ts';

/** A figure of a histogram of few values lies between two of them. */
const TOLERANCE = 0.02;

/** @param {number} is @param {number} was */
const isNear = (is, was) => Math.abs(is - was) <= TOLERANCE * Math.abs(was);

/** @param {any} is @param {any} was @returns {any} as it is, with what was where a number, also of a text, is near it */
function nearer(is, was) {
  if (typeof is === 'number' && typeof was === 'number') return isNear(is, was) ? was : is;
  if (typeof is === 'string' && typeof was === 'string') {
    const numbers = was.match(/\d[\d,.]*/g) ?? [];
    let index = -1;
    return is.replace(/\d[\d,.]*/g, (text) => {
      index += 1;
      const [one, other] = [text, numbers[index] ?? ''].map((each) => Number(each.replaceAll(',', '')));
      return isNear(one ?? 0, other ?? 0) ? (numbers[index] ?? '') : text;
    });
  }
  if (Array.isArray(is) && Array.isArray(was)) return is.map((one, index) => nearer(one, was[index]));
  if (is === null || was === null || typeof is !== 'object' || typeof was !== 'object') return is;
  return Object.fromEntries(Object.entries(is).map(([name, one]) => [name, nearer(one, was[name])]));
}

/**
 * As deepEqual, of figures that come from histograms.
 *
 * @param {unknown} actual
 * @param {unknown} expected
 */
export const near = (actual, expected) => assert.deepEqual(nearer(actual, expected), expected);

export const STARTED_MS = Date.parse('2026-01-02T03:04:05.000Z');

/**
 * @typedef {import('../../../analysis/collect/groups.ts').Group} Group
 *
 * @typedef {object} PhaseFigures
 * @property {number} [iterations]
 * @property {number} [requests] as many as iterations, if left out
 * @property {number} [answered] as many as requests, if left out
 * @property {number} [dropped]
 * @property {Record<string, number>} [failures]
 * @property {number} [p99] ms; the other latencies follow from it
 * @property {number} [avg] ms
 * @property {number} [items]
 * @property {number} [endS] when its iterations were done
 *
 * @typedef {Partial<import('../../../analysis/collect/plan.ts').PlannedPhase> & {name: string, figures?: PhaseFigures}} PhaseSpec
 *
 * @typedef {object} Spec
 * @property {PhaseSpec[]} phases one after the other, 20 s each, if not said otherwise
 * @property {import('../../../analysis/collect/plan.ts').Objective[]} [objectives]
 * @property {Partial<import('../../../analysis/collect/plan.ts').Plan>} [plan]
 * @property {number | null} [startedMs]
 * @property {number} [ranS]
 * @property {Record<string, any>} [metrics] more of what was measured, by k6's names and tags
 */

/** @param {number} ms @returns {number} its bucket */
function bucketOf(ms) {
  const exponent = Math.floor(Math.log2(ms));
  return ms === 0 ? 0 : (exponent + 1023) * 512 + Math.floor((ms / 2 ** exponent - 1) * 512);
}

/** @param {[ms: number, count: number][]} values @returns {string} a histogram's text */
export function histogramOfValues(values) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const [ms, count] of values) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + count);
  let before = 0;
  const parts = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([bucket, count]) => {
      const distance = bucket - before;
      before = bucket;
      return `${distance.toString(36)}*${count.toString(36)}`;
    });
  return parts.join(' ');
}

/**
 * A line of seconds.jsonl: what began in one second of one phase.
 *
 * @param {number} at Unix time
 * @param {string} phase
 * @param {import('../../../analysis/collect/measured.ts').Counts} counts
 * @param {Partial<import('../../../analysis/collect/seconds.ts').Second>} [second]
 * @returns {import('../../../analysis/collect/seconds.ts').Line}
 */
export const lineOf = (at, phase, counts, second = {}) => ({
  second: { at, vus: 1, ...second, groups: { 0: counts } },
  groups: new Map([['0', { phase, operation: 'a' }]]),
});

/** A histogram's text, of so many values that are the same. @param {number} ms @param {number} count */
export const histogramOf = (ms, count) => (count > 0 ? histogramOfValues([[ms, count]]) : '');

/**
 * @param {number} p99 ms
 * @param {number} count
 * @param {number} [avg] ms
 * @returns {Record<string, number>} a Trend's values, as k6 has them
 */
export function trend(p99, count, avg = p99 / 2) {
  return {
    min: p99 / 10,
    avg,
    'p(50)': p99 / 2,
    'p(75)': p99 * 0.7,
    'p(90)': p99 * 0.8,
    'p(95)': p99 * 0.9,
    'p(99)': p99,
    'p(99.9)': p99 * 1.1,
    max: p99 * 1.2,
    count,
  };
}

/** @param {number} min @param {number} [max] @returns {any} */
export const gauge = (min, max = min) => ({ values: { min, max } });

const SHARES = {
  min: 0,
  'p(50)': 0.5,
  'p(75)': 0.75,
  'p(90)': 0.9,
  'p(95)': 0.95,
  'p(99)': 0.99,
  'p(99.9)': 0.999,
};

/** More values than this say no more of a percentile. */
const MOST_VALUES = 2001;

/** @param {Record<string, number>} values of a Trend @returns {string} a histogram with these percentiles, or with this p99 and mean */
export function latencies({ count = 0, avg = 0, ...values }) {
  const points = Object.entries({ ...SHARES, max: 1 }).flatMap(([name, share]) =>
    values[name] === undefined ? [] : [{ share, ms: values[name] }],
  );
  const at = (/** @type {number} */ share) => {
    const index = Math.max(
      1,
      points.findIndex((point) => point.share >= share),
    );
    const [from, to] = [points[index - 1] ?? { share: 0, ms: 0 }, points[index] ?? { share: 1, ms: 0 }];
    return from.ms + ((to.ms - from.ms) * (share - from.share)) / (to.share - from.share);
  };
  const size = Math.min(count, MOST_VALUES);
  const weighed = Array.from({ length: size }, (_, rank) => ({
    share: size === 1 ? 0.99 : rank / (size - 1),
    times: Math.floor((count * (rank + 1)) / size) - Math.floor((count * rank) / size),
  }));
  const p99 = values['p(99)'] ?? avg;
  if (avg === p99 / 2) return histogramOfValues(weighed.map(({ share, times }) => [at(share), times]));
  const slow = weighed.reduce((sum, { share, times }) => (share >= 0.985 ? sum + times : sum), 0);
  const rest = Math.max(0.001, (avg * count - p99 * slow) / (count - slow));
  return histogramOfValues(weighed.map(({ share, times }) => [share >= 0.985 ? p99 : rest, times]));
}

/** Numbers of a group that k6 has as metrics. @type {Record<string, keyof Group>} */
const COUNTS = {
  iterations: 'iterations',
  dropped_iterations: 'dropped',
  mcp_requests: 'requests',
  mcp_connections: 'connections',
  data_sent: 'bytesSent',
  data_received: 'bytesReceived',
};

/**
 * Adds what a test states by k6's metrics, such as `mcp_requests{phase:a}`, to the groups of these tags.
 *
 * @param {Group[]} groups
 * @param {Record<string, {values?: Record<string, any>}>} metrics
 * @param {number} startedMs
 */
function state(groups, metrics, startedMs) {
  for (const [key, { values = {} }] of Object.entries(metrics)) {
    const [, name = '', text = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(key) ?? [];
    const tags = Object.fromEntries(
      text
        .split(',')
        .filter(Boolean)
        .map((pair) => pair.split(/:(.*)/)),
    );
    const { kind, limit, scenario, ...scope } = tags;
    const named = { phase: '', operation: '', ...(scenario && { phase: scenario }), ...scope };
    const same = (/** @type {Group} */ group) =>
      group.phase === named.phase && group.operation === named.operation && group.class === named.class;
    const found = groups.find(same) ?? /** @type {Group} */ ({ ...named });
    if (!groups.includes(found)) groups.push(found);
    const count = COUNTS[name];
    if (count) Object.assign(found, { [count]: values.count ?? 0 });
    else if (name === 'mcp_request_failed')
      Object.assign(found, { failed: values.passes, requests: values.passes + values.fails });
    else if (name === 'mcp_request_duration') found.durations = { ok: latencies(values) };
    else if (name === 'mcp_failures') found.failures = { ...found.failures, [kind]: values.count };
    else if (name === 'mcp_failure_seconds')
      found.failedAt = {
        ...found.failedAt,
        [kind]: [startedMs + values.min * 1000, startedMs + values.max * 1000],
      };
    else if (name === 'mcp_slow')
      found.slow = { ...found.slow, [limit]: { trues: values.passes, total: values.passes + values.fails } };
    else
      found.metrics = {
        ...found.metrics,
        [name]:
          values['p(99)'] !== undefined
            ? { values: latencies(values) }
            : values.min !== undefined
              ? { range: [values.min, values.max] }
              : values.passes !== undefined
                ? { share: { trues: values.passes, total: values.passes + values.fails } }
                : { sum: values.count },
      };
  }
}

/** @param {Spec} spec @returns {import('../../../analysis/collect/plan.ts').Plan} */
function planOf({ phases, objectives = [], plan = {} }) {
  let next = 0;
  const planned = phases.map(({ figures: _, ...phase }) => {
    const one = {
      measured: true,
      start_s: next,
      duration_s: 20,
      offered_rps: 10,
      vus: null,
      iterations: null,
      ...phase,
    };
    next = one.start_s + one.duration_s;
    return { overload: false, max_vus: 20, ...one };
  });
  return {
    testid: 'spike-20260102T030405-ab12',
    test: 'spike',
    title: 'a title',
    profile: 'smoke',
    workload: 'reference',
    target: {
      url: 'http://127.0.0.1:8000/mcp',
      dialect: 'mcp',
      era: 'modern',
      protocol_version: '2026-07-28',
      server: { name: 'reference', version: '1.0.0' },
    },
    phases: planned,
    operations: [],
    objectives,
    objectives_off: false,
    reference_machine: { cores: 1, memory_bytes: 1 },
    ...plan,
  };
}

/** @param {PhaseSpec} phase @returns {Group} */
function groupOf({ name, figures = {} }) {
  const { iterations = 200, requests = iterations, answered = requests } = figures;
  const { dropped = 0, failures = {}, p99 = 50, avg, items = 0, endS = 0 } = figures;
  return {
    ...{ phase: name, operation: '', requests, iterations, dropped, failures },
    failed: Object.values(failures).reduce((sum, count) => sum + count, 0),
    durations: answered > 0 ? { ok: latencies(trend(p99, answered, avg)) } : {},
    metrics: { mcp_items: { sum: items }, mcp_phase_end_seconds: { range: [endS, endS] } },
  };
}

/** @param {Spec} spec @returns {any} measured.json of such a run, in which k6 found its thresholds kept */
export function measuredDocument(spec) {
  const { phases, objectives = [], ranS, startedMs = STARTED_MS, metrics = {} } = spec;
  const plan = planOf(spec);
  const end = plan.phases.at(-1);
  const groups = phases.flatMap((phase) =>
    phase.figures && phase.measured !== false ? [groupOf(phase)] : [],
  );
  state(groups, metrics, startedMs ?? 0);
  const startedS = (startedMs ?? 0) / 1000;
  const started = { mcp_started_seconds: { range: [startedS, startedS] } };
  const judged = [
    ...objectives.flatMap(({ k6 }) => (k6 ? [[k6.metric, k6.expression, true]] : [])),
    ...Object.entries(metrics).flatMap(([metric, { thresholds = {} }]) =>
      Object.entries(thresholds).map(([expression, { ok }]) => [metric, expression, ok]),
    ),
  ];
  const thresholds = new Map(
    judged.map(([metric, threshold, passed]) => [
      `${metric} ${threshold}`,
      { metric, threshold, passed, hasSamples: true, ...figuresOf(metrics[String(metric)]?.values ?? {}) },
    ]),
  );
  return {
    schema: 'mcp-load-lab/measured/2',
    plan,
    began: startedMs ?? 0,
    ended: (startedMs ?? 0) + (ranS ?? (end?.start_s ?? 0) + (end?.duration_s ?? 0)) * 1000,
    end: { reason: 'finished', exitCode: 0 },
    ...{ vus: 20, vusMax: 20, warmup: 0, cores: 2 },
    groups: [...(startedMs ? [{ phase: '', operation: '', metrics: started }] : []), ...groups],
    thresholds: [...thresholds.values()],
  };
}

/** @param {Record<string, number>} values of a metric with a threshold */
function figuresOf({ passes, fails = 0, count, value = count }) {
  if (passes !== undefined) return { share: { trues: passes, total: passes + fails } };
  return value === undefined ? {} : { value };
}

/** @param {Spec} spec @returns {import('../../../analysis/collect/summary.ts').Summary} as read from such a document */
export function summary(spec) {
  const { plan, ended, groups, vusMax, thresholds, cores } = measuredDocument(spec);
  const { startedMs = STARTED_MS } = spec;
  const ranS = (ended - (startedMs ?? 0)) / 1000;
  return {
    plan,
    startedMs,
    ranS,
    groups,
    vusMax,
    thresholds,
    cores,
    clockJumps: [],
    processes: [],
    streams: [],
  };
}

/** @type {import('../../../analysis/collect/k6-log.ts').K6Log} */
export const QUIET_LOG = {
  lastLine: null,
  failedPushesS: [],
  exceptions: {},
  uncaught: null,
  samples: {},
};

/** @type {import('../../../analysis/judge/reconcile.ts').Ledger} */
export const NO_LEDGER = { phases: [], iterations: 0, exceptions: 0, exceptionsOf: {} };

/** @type {import('../../../analysis/collect/environment.ts').Environment} */
export const MACHINE = {
  k6: '1.8.1',
  node: '20.0.0',
  os: 'Linux 6 x64',
  cpu: 'a CPU',
  cores: 4,
  memory_bytes: 8 * 1024 ** 3,
  git: { commit: '0123456789abcdef0123456789abcdef01234567', dirty: false },
};

/** @type {import('../../../analysis/collect/observe.ts').Server} */
export const NO_SERVER = {
  signals: [],
  silent: [],
  ambiguous: [],
  overTime: {},
  increases: new Map(),
  problem: null,
};

/**
 * @param {Partial<import('../../../analysis/judge/run.ts').Judged>} judged
 * @param {Partial<import('../../../analysis/collect/observe.ts').Server>} [server]
 * @returns {Promise<import('../../../analysis/judge/run.ts').Run>} the run document of a k6 that had nothing to say, on a machine with nothing to
 *   see, but for what is given
 */
export async function runOf({ summary: one = null, runs = one ? [one] : [], ...judged }, server = {}) {
  const table = one && (await tableModuleOf(one.plan.test));
  const all = runs.flatMap((each) => phases(each));
  const whole = { ...NOTHING_LEFT, summary: one, runs, ...judged };
  return makeRun(whole, all, { ...NO_SERVER, ...server }, table).run;
}

/**
 * @param {{name: string}[]} phases
 * @param {Record<string, number>} counts by selector, the same in each phase
 * @returns {import('../../../analysis/collect/increases.ts').Increases}
 */
export const countedIn = (phases, counts) =>
  new Map(
    phases.flatMap(({ name }) =>
      Object.entries(counts).map(([selector, count]) => [JSON.stringify([name, selector]), count]),
    ),
  );

/** @type {import('../../../analysis/judge/run.ts').Judged} */
const NOTHING_LEFT = {
  testid: 'x',
  trials: null,
  runs: [],
  summary: null,
  summaryProblem: null,
  abort: null,
  log: QUIET_LOG,
  seconds: new Map(),
  watches: [],
  k6Exit: 0,
  environment: MACHINE,
  secrets: [],
};

/**
 * @param {string} signal
 * @param {string} phase
 * @param {number} value
 * @param {string} [unit]
 * @returns {import('../../../analysis/collect/signals.ts').Signal}
 */
export function signal(signal, phase, value, unit = 'ratio') {
  return { signal, phase, unit, min: value, avg: value, p95: value, max: value, samples: 5 };
}

/**
 * @param {string} phase
 * @param {string} metric
 * @param {import('../../../analysis/collect/plan.ts').Objective['op']} op
 * @param {number} limit
 * @param {Partial<import('../../../analysis/collect/plan.ts').Objective>} [rest]
 * @returns {import('../../../analysis/collect/plan.ts').Objective}
 */
export function objective(phase, metric, op, limit, rest = {}) {
  return { scope: { phase }, metric, op, limit, ...rest };
}
