/**
 * Makes the inputs of the analysis from data: what the output lab writes, and what comes with it.
 */
import { phases } from '../../../analysis/phases.ts';
import { tableModuleOf } from '../../../analysis/report-tables.ts';
import { makeRun } from '../../../analysis/run.ts';

export const STARTED_MS = Date.parse('2026-01-02T03:04:05.000Z');

/**
 * @typedef {import('../../../analysis/groups.ts').Group} Group
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
 * @typedef {Partial<import('../../../analysis/plan.ts').PlannedPhase> & {name: string, figures?: PhaseFigures}} PhaseSpec
 *
 * @typedef {object} Spec
 * @property {PhaseSpec[]} phases one after the other, 20 s each, if not said otherwise
 * @property {import('../../../analysis/plan.ts').Objective[]} [objectives]
 * @property {Partial<import('../../../analysis/plan.ts').Plan>} [plan]
 * @property {number | null} [startedMs]
 * @property {number} [ranS]
 * @property {Partial<Group>[]} [groups] more of them
 * @property {Record<string, {metric: string, expression: string, passed: boolean, share?: {trues: number, total: number}, value?: number, hasSamples?: boolean}>}
 *   [thresholds] by metric and expression: k6's, others than those of the objectives, or of another outcome
 */

/** @param {number} ms @returns {bigint} its bucket */
function bucketOf(ms) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, ms);
  return bits.getBigUint64(0) >> 43n;
}

/** @param {number[]} values ms @returns {string} a histogram's text */
function histogramOfValues(values) {
  /** @type {Map<bigint, number>} */
  const counts = new Map();
  for (const ms of values) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
  let before = 0n;
  const parts = [...counts]
    .sort(([a], [b]) => Number(a - b))
    .map(([bucket, count]) => {
      const distance = bucket - before;
      before = bucket;
      return `${distance.toString(36)}*${count.toString(36)}`;
    });
  return parts.join(' ');
}

/** A histogram's text, of so many values that are the same. @param {number} ms @param {number} count */
export const histogramOf = (ms, count) => histogramOfValues(Array.from({ length: count }, () => ms));

/** Latencies as shares of their p99. @type {[share: number, of: number][]} */
const SPREAD = [
  ...[
    [0, 0.1],
    [0.5, 0.5],
    [0.75, 0.7],
    [0.9, 0.8],
    [0.95, 0.9],
    [0.99, 1],
    [0.999, 1.1],
    [1, 1.2],
  ],
].map(([share = 0, of = 0]) => [share, of]);

/** @param {number} share @returns {number} of the p99 */
function spreadAt(share) {
  const index = Math.max(
    1,
    SPREAD.findIndex(([at]) => at >= share),
  );
  const [[from = 0, low = 0] = [], [to = 1, high = 1] = []] = [SPREAD[index - 1], SPREAD[index]];
  return low + ((high - low) * (share - from)) / (to - from);
}

/**
 * @param {number} p99 ms
 * @param {number} count
 * @param {number} [avg] ms; with it, all but the slowest take the same
 * @returns {string} a histogram's text
 */
export function latencies(p99, count, avg) {
  const shares = Array.from({ length: count }, (_, rank) => (count === 1 ? 0.99 : rank / (count - 1)));
  if (avg === undefined) return histogramOfValues(shares.map((share) => p99 * spreadAt(share)));
  const slow = shares.filter((share) => share >= 0.985).length;
  const rest = (avg * count - p99 * slow) / (count - slow);
  return histogramOfValues(shares.map((share) => (share >= 0.985 ? p99 : Math.max(0.001, rest))));
}

/** @param {Spec} spec @returns {import('../../../analysis/plan.ts').Plan} */
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
    durations: answered > 0 ? { ok: latencies(p99, answered, avg) } : {},
    metrics: { mcp_items: { sum: items }, mcp_phase_end_seconds: { range: [endS, endS] } },
  };
}

/** @param {Spec} spec @returns {any} measured.json of such a run, in which k6 found its thresholds kept */
export function measuredDocument(spec) {
  const { phases, objectives = [], ranS, startedMs = STARTED_MS, groups = [], thresholds = {} } = spec;
  const plan = planOf(spec);
  const end = plan.phases.at(-1);
  const startedS = (startedMs ?? 0) / 1000;
  const started = { mcp_started_seconds: { range: [startedS, startedS] } };
  const held = Object.fromEntries(
    objectives.flatMap(({ k6 }) => (k6 ? [[`${k6.metric} ${k6.expression}`, { ...k6, passed: true }]] : [])),
  );
  return {
    schema: 'mcp-load-lab/measured/2',
    plan,
    began: startedMs ?? 0,
    ended: (startedMs ?? 0) + (ranS ?? (end?.start_s ?? 0) + (end?.duration_s ?? 0)) * 1000,
    end: { reason: 'finished', exitCode: 0 },
    ...{ vus: 20, vusMax: 20, warmup: 0 },
    groups: [
      ...(startedMs ? [{ phase: '', operation: '', metrics: started }] : []),
      ...phases.flatMap((phase) => (phase.figures && phase.measured !== false ? [groupOf(phase)] : [])),
      ...groups.map((group) => ({ phase: '', operation: '', ...group })),
    ],
    thresholds: Object.values({ ...held, ...thresholds }).map(({ metric, expression, passed, ...rest }) => ({
      ...{ metric, threshold: expression, passed, hasSamples: true },
      ...rest,
    })),
  };
}

/** @param {Spec} spec @returns {import('../../../analysis/summary.ts').Summary} as read from such a document */
export function summary(spec) {
  const { plan, ended, groups, vusMax, thresholds } = measuredDocument(spec);
  const { startedMs = STARTED_MS } = spec;
  return { plan, startedMs, ranS: (ended - (startedMs ?? 0)) / 1000, groups, vusMax, thresholds };
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
  overTime: {},
  increases: new Map(),
  problem: null,
};

/**
 * @param {Partial<import('../../../analysis/run.ts').Judged>} judged
 * @param {Partial<import('../../../analysis/observe.ts').Server>} [server]
 * @returns {Promise<import('../../../analysis/run.ts').Run>} the run document of a k6 that had nothing to say, on a machine with nothing to
 *   see, but for what is given
 */
export async function runOf({ summary: one = null, runs = one ? [one] : [], ...judged }, server = {}) {
  const table = one && (await tableModuleOf(one.plan.test));
  const all = runs.flatMap((each) => phases(each));
  const whole = { ...NOTHING_LEFT, summary: one, runs, ...judged };
  return makeRun(whole, all, { ...NO_SERVER, ...server }, table).run;
}

/** @type {import('../../../analysis/run.ts').Judged} */
const NOTHING_LEFT = {
  testid: 'x',
  legs: null,
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
 * @returns {import('../../../analysis/signals.ts').Signal}
 */
export function signal(signal, phase, value, unit = 'ratio') {
  return { signal, phase, unit, min: value, avg: value, p95: value, max: value, samples: 5 };
}

/**
 * @param {string} phase
 * @param {string} metric
 * @param {import('../../../analysis/plan.ts').Objective['op']} op
 * @param {number} limit
 * @param {Partial<import('../../../analysis/plan.ts').Objective>} [rest]
 * @returns {import('../../../analysis/plan.ts').Objective}
 */
export function objective(phase, metric, op, limit, rest = {}) {
  return { scope: { phase }, metric, op, limit, ...rest };
}
