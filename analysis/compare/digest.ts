/** Extracts the data of one run that a comparison needs, and checks whether two runs are comparable. */
import { counted, duration, perSecond } from '../../contract/units.js';
import { signalMean } from '../collect/signals.ts';
import type { Run } from '../judge/run.ts';
import type { Verdict } from '../judge/verdict.ts';
import { type Figures, METRICS } from './metrics.ts';

export interface Digest {
  testid: string;
  started: string | null;
  outcome: Verdict['outcome'];
  /** Reason for the outcome. */
  reason: string;
  /** Commit of this repository, with a trailing `+` if files were changed. */
  commit: string | null;
  conditions: Conditions;
  machine: Machine;
  target: { server: string | null; era: string | null; settings: Record<string, string> | null };
  /** By `seriesKey`. */
  values: Record<string, number>;
}

/** Conditions that must be the same on both sides. */
export interface Conditions {
  test: string | null;
  profile: string | null;
  workload: string | null;
  /** The target's dialect. */
  dialect: string | null;
  /** duration_s: null for a phase that lasts as long as its iterations take. */
  phases: {
    name: string;
    offered_rps: number | null;
    vus: number | null;
    iterations: number | null;
    duration_s: number | null;
  }[];
}

type Machine = Record<'os' | 'cpu' | 'k6' | 'node', string | null> & Record<'cores' | 'memory_bytes', number>;

export interface SeriesName {
  of: 'run' | 'phase' | 'operation';
  /** Name of the phase or operation; '' for the run. */
  name: string;
  metric: string;
}

/** Significant digits of stored values; more than the precision of any of them. */
const DIGITS = 6;

/** A phase ends with its last requests, so small differences in duration do not mean a different plan. */
const DURATION_TOLERANCE = 0.05;

/** Machines of the same size report slightly different amounts of memory. */
const MEMORY_TOLERANCE = 0.05;

export const seriesKey = ({ of, name, metric }: SeriesName): string => `${of}/${name}/${metric}`;

/** Parses a key. Names of operations may contain slashes. */
export function parseKey(key: string): SeriesName {
  const [, of = '', name = '', metric = ''] = /^(run|phase|operation)\/(.*)\/([^/]+)$/.exec(key) ?? [];
  return { of: of as SeriesName['of'], name, metric };
}

export function digestOf(run: Run): Digest {
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
    target: { server: server || null, era: target?.era ?? null, settings: target?.settings ?? null },
    values: valuesOf(run),
  };
}

function valuesOf(run: Run): Digest['values'] {
  const { phases, operations, signals, findings } = run;
  const all: [Pick<SeriesName, 'of' | 'name'>, Figures][] = [
    [{ of: 'run', name: '' }, { findings }],
    ...phases
      .filter(({ measured, start }) => measured && start !== null)
      .map((phase) => {
        const mean = (signal: string) => signalMean(signals, signal, phase.name);
        return [
          { of: 'phase', name: phase.name },
          { ...phase, mean },
        ] as (typeof all)[number];
      }),
    ...operations.map((operation) => {
      return [{ of: 'operation', name: operation.operation }, { ...operation }] as (typeof all)[number];
    }),
  ];
  const values: Digest['values'] = {};
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

/** @returns why the run's figures are not comparable */
export function refusal(
  { outcome, reason }: Digest,
  { includeFailed }: { includeFailed: boolean },
): string | null {
  if (outcome === 'pass' || (outcome === 'fail' && includeFailed)) return null;
  return `${outcome === 'fail' ? 'failed' : outcome}: ${reason}`;
}

/** @returns the first difference that makes the runs incomparable */
export function difference(one: Digest, other: Digest): string | null {
  const [a, b] = [one.conditions, other.conditions];
  for (const what of ['test', 'profile', 'workload', 'dialect'] as const) {
    if (a[what] !== b[what])
      return sentence(what === 'dialect' ? "the target's dialect" : what, a[what], b[what]);
  }
  const [names, others] = [a, b].map(({ phases }) => phases.map(({ name }) => name).join(', '));
  if (names !== others) return sentence('measured phases', names, others);
  for (const [index, phase] of a.phases.entries()) {
    const same = b.phases[index] as Conditions['phases'][number];
    for (const { figure, words } of PHASE_FIGURES) {
      const [x, y] = [phase[figure], same[figure]];
      if (x !== y && !(figure === 'duration_s' && isAsLong(x, y))) {
        return sentence(`phase ${phase.name}`, words(x), words(y));
      }
    }
  }
  return null;

  function sentence(what: string, first: string | null | undefined, second: string | null | undefined) {
    return `${what}: ${first ?? 'none'} in ${one.testid}, ${second ?? 'none'} in ${other.testid}`;
  }
}

/** Figures of a phase that must be the same, with the text that describes a difference. */
const PHASE_FIGURES: {
  figure: 'offered_rps' | 'vus' | 'iterations' | 'duration_s';
  words: (value: number | null) => string;
}[] = [
  { figure: 'offered_rps', words: (rate) => (rate === null ? 'no rate' : perSecond(rate)) },
  { figure: 'vus', words: (users) => (users === null ? 'no fixed users' : counted(users, 'user')) },
  { figure: 'iterations', words: (count) => (count === null ? 'no fixed calls' : counted(count, 'call')) },
  { figure: 'duration_s', words: duration },
];

/** @param x seconds */
function isAsLong(x: number | null, y: number | null) {
  if (x === null || y === null) return false;
  return Math.abs(x - y) <= Math.max(1, DURATION_TOLERANCE * Math.max(x, y));
}

/** @returns differences between the load generators' machines, and between the ways of measuring */
export function otherMachine(one: Digest, other: Digest): string[] {
  const [a, b] = [one.machine, other.machine];
  const differing = (Object.keys(a) as (keyof Machine)[]).filter((what) =>
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
