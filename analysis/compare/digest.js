/** What a comparison needs of one run, and whether two runs can be compared at all. */
import { counted, duration, perSecond } from '../../contract/units.js';
import { signalMean } from '../signals.js';
import { METRICS } from './metrics.js';

/**
 * @typedef {object} Digest
 * @property {string} testid
 * @property {string | null} started
 * @property {import('../verdict.js').Verdict['outcome']} outcome
 * @property {string} reason of that outcome
 * @property {string | null} commit of this project, `+` behind it where files were changed
 * @property {Conditions} conditions
 * @property {Machine} machine
 * @property {{server: string | null, era: string | null, knobs: Record<string, string> | null}} target
 * @property {Record<string, number>} values by `seriesKey`
 *
 * @typedef {object} Conditions what must be the same on both sides
 * @property {string | null} test
 * @property {string | null} profile
 * @property {string | null} workload
 * @property {string | null} dialect of the target
 * @property {{name: string, offered_rps: number | null, vus: number | null, iterations: number | null,
 *   duration_s: number | null}[]} phases duration_s: null of a phase that lasts as long as its iterations take
 *
 * @typedef {Record<'os' | 'cpu' | 'k6' | 'node', string | null> & Record<'cores' | 'memory_bytes', number>} Machine
 *
 * @typedef {object} SeriesName
 * @property {'run' | 'phase' | 'operation'} of
 * @property {string} name of the phase or operation; '' of the run
 * @property {string} metric
 */

/** Digits that a value keeps: more than any of them is worth. */
const DIGITS = 6;

/** A phase ends with its last requests: so much longer or shorter is no other plan. */
const DURATION_TOLERANCE = 0.05;

/** Machines of the same size show somewhat different memory. */
const MEMORY_TOLERANCE = 0.05;

/** @param {SeriesName} series @returns {string} */
export const seriesKey = ({ of, name, metric }) => `${of}/${name}/${metric}`;

/** @param {string} key @returns {SeriesName} names of operations may hold slashes themselves */
export function parseKey(key) {
  const [, of = '', name = '', metric = ''] = /^(run|phase|operation)\/(.*)\/([^/]+)$/.exec(key) ?? [];
  return { of: /** @type {SeriesName['of']} */ (of), name, metric };
}

/**
 * @param {import('../run.js').Run} run
 * @returns {Digest}
 */
export function digestOf(run) {
  const { environment, target, verdict } = run;
  const { git } = environment;
  const server = [target?.server?.name, target?.server?.version].filter(Boolean).join(' ');
  return {
    testid: run.testid,
    started: run.started,
    outcome: verdict.outcome,
    reason: verdict.reasons[0] ?? '',
    commit: git && `${git.commit.slice(0, 12)}${git.dirty ? '+' : ''}`,
    conditions: {
      test: run.test,
      profile: run.profile,
      workload: run.workload,
      dialect: target?.dialect ?? null,
      phases: run.phases
        .filter(({ measured }) => measured)
        .map(({ name, offered_rps, vus, iterations_planned, duration_s }) => ({
          name,
          offered_rps,
          vus,
          iterations: iterations_planned,
          duration_s: iterations_planned === null ? duration_s : null,
        })),
    },
    machine: {
      os: environment.os,
      cpu: environment.cpu,
      cores: environment.cores,
      memory_bytes: environment.memory_bytes,
      k6: environment.k6,
      node: environment.node,
    },
    target: { server: server || null, era: target?.era ?? null, knobs: target?.knobs ?? null },
    values: valuesOf(run),
  };
}

/** @param {import('../run.js').Run} run @returns {Digest['values']} */
function valuesOf(run) {
  const { phases, operations, signals, findings } = run;
  /** @type {[Pick<SeriesName, 'of' | 'name'>, import('./metrics.js').Figures][]} */
  const all = [
    [{ of: 'run', name: '' }, { findings }],
    ...phases
      .filter(({ measured, start }) => measured && start !== null)
      .map((phase) => {
        const mean = (/** @type {string} */ signal) => signalMean(signals, signal, phase.name);
        return /** @type {typeof all[number]} */ ([
          { of: 'phase', name: phase.name },
          { ...phase, mean },
        ]);
      }),
    ...operations.map((operation) => {
      return /** @type {typeof all[number]} */ ([
        { of: 'operation', name: operation.operation },
        { ...operation },
      ]);
    }),
  ];
  /** @type {Digest['values']} */
  const values = {};
  for (const [series, figures] of all) {
    for (const { name: metric, of, read } of METRICS) {
      const value = of.includes(series.of) ? read(figures) : null;
      if (value != null && Number.isFinite(value)) {
        values[seriesKey({ ...series, metric })] = Number(value.toPrecision(DIGITS));
      }
    }
  }
  return values;
}

/**
 * @param {Digest} digest
 * @param {{includeFailed: boolean}} options
 * @returns {string | null} why its figures are not to be compared
 */
export function refusal({ outcome, reason }, { includeFailed }) {
  if (outcome === 'pass' || (outcome === 'fail' && includeFailed)) return null;
  return `${outcome === 'fail' ? 'failed' : outcome}: ${reason}`;
}

/**
 * @param {Digest} one
 * @param {Digest} other
 * @returns {string | null} the first thing that makes them runs of something else
 */
export function difference(one, other) {
  const [a, b] = [one.conditions, other.conditions];
  for (const what of /** @type {const} */ (['test', 'profile', 'workload', 'dialect'])) {
    if (a[what] !== b[what])
      return sentence(what === 'dialect' ? "the target's dialect" : what, a[what], b[what]);
  }
  const [names, others] = [a, b].map(({ phases }) => phases.map(({ name }) => name).join(', '));
  if (names !== others) return sentence('measured phases', names, others);
  for (const [index, phase] of a.phases.entries()) {
    const same = /** @type {Conditions['phases'][number]} */ (b.phases[index]);
    for (const { figure, words } of PHASE_FIGURES) {
      const [x, y] = [phase[figure], same[figure]];
      if (x !== y && !(figure === 'duration_s' && isAsLong(x, y))) {
        return sentence(`phase ${phase.name}`, words(x), words(y));
      }
    }
  }
  return null;

  /** @param {string} what @param {string | null | undefined} first @param {string | null | undefined} second */
  function sentence(what, first, second) {
    return `${what}: ${first ?? 'none'} in ${one.testid}, ${second ?? 'none'} in ${other.testid}`;
  }
}

/**
 * What of a phase must be the same, and the words in which it is said that it is not.
 *
 * @type {{figure: 'offered_rps' | 'vus' | 'iterations' | 'duration_s', words: (value: number | null) => string}[]}
 */
const PHASE_FIGURES = [
  { figure: 'offered_rps', words: (rate) => (rate === null ? 'no rate' : perSecond(rate)) },
  { figure: 'vus', words: (users) => (users === null ? 'no fixed users' : counted(users, 'user')) },
  { figure: 'iterations', words: (count) => (count === null ? 'no fixed calls' : counted(count, 'call')) },
  { figure: 'duration_s', words: duration },
];

/** @param {number | null} x seconds @param {number | null} y */
function isAsLong(x, y) {
  if (x === null || y === null) return false;
  return Math.abs(x - y) <= Math.max(1, DURATION_TOLERANCE * Math.max(x, y));
}

/**
 * @param {Digest} one
 * @param {Digest} other
 * @returns {string[]} in what the machines that made the load, or the ways to measure, differ
 */
export function otherMachine(one, other) {
  const [a, b] = [one.machine, other.machine];
  const differing = /** @type {(keyof Machine)[]} */ (Object.keys(a)).filter((what) =>
    what === 'memory_bytes' ? Math.abs(a[what] - b[what]) > MEMORY_TOLERANCE * a[what] : a[what] !== b[what],
  );
  return [
    ...differing.map((what) => `${MACHINE_WORDS[what]} ${a[what] ?? 'unknown'} and ${b[what] ?? 'unknown'}`),
  ];
}

const MACHINE_WORDS = {
  os: 'system',
  cpu: 'CPU',
  cores: 'cores',
  memory_bytes: 'bytes of memory',
  k6: 'k6',
  node: 'Node',
};
