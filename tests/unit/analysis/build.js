/**
 * Makes the inputs of the analysis from data: k6's end-of-test summary as k6 writes it, and what comes with it.
 */
import { makeTables } from '../../../analysis/report-tables.ts';
import { makeRun } from '../../../analysis/run.ts';
import { secondsOf } from '../../../analysis/seconds.ts';
import { StatedMetrics } from './stated-metrics.js';

export const STARTED_MS = Date.parse('2026-01-02T03:04:05.000Z');

/**
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
 * @typedef {Partial<import('../../../analysis/summary.ts').PlannedPhase> & {name: string, figures?: PhaseFigures}} PhaseSpec
 *
 * @typedef {object} Spec
 * @property {PhaseSpec[]} phases one after the other, 20 s each, if not said otherwise
 * @property {import('../../../analysis/summary.ts').Objective[]} [objectives]
 * @property {Partial<import('../../../analysis/summary.ts').Plan>} [plan]
 * @property {number | null} [startedMs]
 * @property {number} [ranS]
 * @property {Record<string, any>} [metrics] more of them, or others
 */

/** @param {number} p99 @param {number} count @param {number} [avg] @returns {Record<string, number>} a Trend's values */
export function trend(p99, count, avg = p99 / 2) {
  return {
    min: p99 / 10,
    avg,
    med: p99 / 2,
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

/** @param {Spec} spec @returns {any} a summary document */
export function summaryDocument({
  phases,
  objectives = [],
  plan = {},
  startedMs = STARTED_MS,
  ranS,
  metrics = {},
}) {
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
  /** @type {Record<string, any>} */
  const all = {
    vus_max: { type: 'gauge', contains: 'default', values: { value: 20, min: 20, max: 20 } },
  };
  for (const { name, measured = true, figures } of phases) {
    if (measured && figures) Object.assign(all, phaseMetrics(name, figures));
  }
  for (const { metric, expression } of objectives.flatMap(({ k6 }) => k6 ?? [])) {
    all[metric] ??= { type: 'counter', contains: 'default', values: { count: 0, rate: 0 } };
    all[metric].thresholds = { ...all[metric].thresholds, [expression]: { ok: true } };
  }
  return {
    schema: 'mcp-load-lab/summary/1',
    plan: {
      testid: 'spike-20260102T030405-ab12',
      test: 'spike',
      title: 'a title',
      profile: 'smoke',
      workload: 'reference',
      duration_s: next,
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
    },
    started_ms: startedMs,
    k6: { metrics: { ...all, ...metrics }, state: { testRunDurationMs: (ranS ?? next) * 1000 } },
  };
}

/** @param {string} name @param {PhaseFigures} figures */
function phaseMetrics(name, figures) {
  const {
    iterations = 200,
    requests = iterations,
    answered = requests,
    dropped = 0,
    failures = {},
    p99 = 50,
    avg,
  } = figures;
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  /** @param {number} count */
  const counter = (count) => ({ type: 'counter', contains: 'default', values: { count, rate: count / 60 } });
  const tag = `{phase:${name}}`;
  return {
    [`iterations${tag}`]: counter(iterations),
    [`dropped_iterations{scenario:${name}}`]: counter(dropped),
    [`mcp_requests${tag}`]: counter(requests),
    [`mcp_request_failed${tag}`]: {
      type: 'rate',
      contains: 'default',
      values: { rate: failed / requests || 0, passes: failed, fails: requests - failed },
    },
    [`mcp_request_duration${tag}`]: {
      type: 'trend',
      contains: 'time',
      values: answered > 0 ? trend(p99, answered, avg) : trend(0, 0),
    },
    [`mcp_items${tag}`]: counter(figures.items ?? 0),
    [`mcp_phase_end_seconds${tag}`]: gauge(figures.endS ?? 0),
    ...Object.fromEntries(
      Object.entries({ connect: 0, ...failures }).map(([kind, count]) => [
        `mcp_failures{phase:${name},kind:${kind}}`,
        counter(count),
      ]),
    ),
  };
}

/** A histogram's text, of so many values that are the same. @param {number} ms @param {number} count */
export function histogramOf(ms, count) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, ms);
  return count > 0 ? `${(bits.getBigUint64(0) >> 43n).toString(36)}*${count.toString(36)}` : '';
}

/**
 * @param {Spec} spec
 * @returns {any} measured.json of such a run, in which all answers of a phase took as long as its p99, and k6 found its thresholds kept
 */
export function measuredDocument({ phases, objectives = [], ranS, startedMs = STARTED_MS, ...rest }) {
  const { plan } = summaryDocument({ phases, objectives, ...rest });
  const end = plan.phases.at(-1);
  const groups = phases.flatMap(({ name, measured = true, figures }) => {
    if (!measured || !figures) return [];
    const { iterations = 200, requests = iterations, answered = requests, p99 = 50 } = figures;
    const { dropped = 0, failures = {}, endS = 0 } = figures;
    return [
      {
        ...{ phase: name, operation: '', requests, iterations, dropped, failures },
        failed: Object.values(failures).reduce((sum, count) => sum + count, 0),
        durations: { ok: histogramOf(p99, answered) },
        metrics: { mcp_items: { sum: figures.items ?? 0 }, mcp_phase_end_seconds: { range: [endS, endS] } },
      },
    ];
  });
  const startedS = (startedMs ?? 0) / 1000;
  const started = { mcp_started_seconds: { range: [startedS, startedS] } };
  return {
    schema: 'mcp-load-lab/measured/2',
    plan,
    began: startedMs ?? 0,
    ended: (startedMs ?? 0) + (ranS ?? end.start_s + end.duration_s) * 1000,
    end: { reason: 'finished', exitCode: 0 },
    ...{ vus: 20, vusMax: 20, warmup: 0 },
    groups: [...(startedMs ? [{ phase: '', operation: '', metrics: started }] : []), ...groups],
    thresholds: objectives.flatMap(({ k6 }) =>
      k6 ? [{ metric: k6.metric, threshold: k6.expression, passed: true, hasSamples: true }] : [],
    ),
  };
}

/** @param {number} min @param {number} [max] @returns {any} */
export function gauge(min, max = min) {
  return { type: 'gauge', contains: 'default', values: { value: max, min, max } };
}

/** @param {Spec} spec @returns {import('../../../analysis/summary.ts').Summary} as read from such a document */
export function summary(spec) {
  const { plan, started_ms, k6 } = summaryDocument(spec);
  return {
    plan,
    startedMs: started_ms,
    ranS: k6.state.testRunDurationMs / 1000,
    metrics: new StatedMetrics(k6.metrics),
  };
}

/** @type {import('../../../analysis/k6-log.ts').K6Log} */
export const QUIET_LOG = {
  lastLine: null,
  failedPushesS: [],
  exceptions: {},
  uncaught: null,
  samples: {},
};

/** @type {import('../../../analysis/reconcile.ts').Ledger} */
export const NO_LEDGER = { phases: [], iterations: 0, exceptions: 0, exceptionsOf: {} };

/** @type {import('../../../analysis/environment.ts').Environment} */
export const MACHINE = {
  k6: '1.8.1',
  node: '20.0.0',
  os: 'Linux 6 x64',
  cpu: 'a CPU',
  cores: 4,
  memory_bytes: 8 * 1024 ** 3,
  git: { commit: '0123456789abcdef0123456789abcdef01234567', dirty: false },
};

/** @type {import('../../../analysis/observe.ts').Server} */
export const NO_SERVER = {
  signals: [],
  silent: [],
  ambiguous: [],
  recoveries: [],
  timeline: null,
  problem: null,
};

/**
 * @param {Partial<Parameters<typeof makeRun>[0]>} collected
 * @param {Partial<import('../../../analysis/observe.ts').Server>} [server]
 * @param {Partial<import('../../../analysis/report-tables.ts').Facts>} [known] what a table is made of, beside the figures
 * @returns the run document of a k6 that had nothing to say, on a machine with nothing to see, but for what is given
 */
export const runOf = (collected, server = {}, known = {}) =>
  makeRun(
    {
      testid: 'x',
      summary: null,
      summaryProblem: null,
      log: QUIET_LOG,
      k6Exit: 0,
      environment: MACHINE,
      secrets: [],
      ...collected,
    },
    async () => ({ ...NO_SERVER, ...server }),
    (facts) =>
      makeTables({
        ...facts,
        legs: null,
        increase: async () => null,
        seconds: () => secondsOf('nowhere'),
        ...known,
      }),
  );

/**
 * @param {string} signal
 * @param {string} phase
 * @param {number} value
 * @param {string} [unit]
 * @returns {import('../../../analysis/signals.ts').Signal}
 */
export function signal(signal, phase, value, unit = 'ratio') {
  return { signal, phase, unit, min: value, avg: value, p95: value, max: value, samples: 5 };
}

/**
 * @param {string} phase
 * @param {string} metric
 * @param {import('../../../analysis/summary.ts').Objective['op']} op
 * @param {number} limit
 * @param {Partial<import('../../../analysis/summary.ts').Objective>} [rest]
 * @returns {import('../../../analysis/summary.ts').Objective}
 */
export function objective(phase, metric, op, limit, rest = {}) {
  return { scope: { phase }, metric, op, limit, ...rest };
}
