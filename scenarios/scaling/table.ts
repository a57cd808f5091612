/** `make scaling`: what more instances bring, and what they cost. */

import { signalMean } from '../../analysis/collect/signals.ts';
import { note } from '../../analysis/findings/note.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { medianOf } from '../../analysis/statistics/interval.ts';
import { type Built, type Column, type Facts, tableOf } from '../../analysis/tables/report-tables.ts';
import { number, percent } from '../../contract/units.js';
import type { ScalingResult } from './trials.ts';

/** A processor that is this busy has nothing left to give. */
const BUSY = 0.9;
/** Processors of other programs that make a measurement theirs as much as the instances'. */
const OTHERS = 0.25;
/** Less than this of what as many instances as the fewest would make is a loss that has a cause. */
const GOOD_EFFICIENCY = 0.9;

const NO_RESULT: Omit<ScalingResult, 'users'> & { users: null } = {
  users: null,
  repeats: 1,
  knobs: {},
  price: null,
  phases: {},
};

/** One number of instances. */
export interface Step {
  instances: number;
  /** One a round. */
  phases: Phase[];
  /** Calls/s. */
  total: number | null;
  efficiency: number | null;
}

export default function scaling({ phases, trials, signals, environment }: Facts<ScalingResult>): Built {
  const { users, repeats, knobs, price, phases: byPhase } = trials?.result ?? NO_RESULT;
  const steps = stepsOf(phases.filter(({ measured, labels }) => measured && labels.instances));
  const mean = (ofStep: Phase[], signal: string) =>
    meanOf(ofStep.flatMap(({ name }) => signalMean(signals, signal, name) ?? []));
  const [smallest] = steps;
  const several = repeats > 1;
  const columns: Column<Step>[] = [
    { name: 'instances', unit: 'count', of: ({ instances }) => instances },
    { name: 'total', unit: 'per_s', of: ({ total }) => total },
    {
      name: 'per instance',
      unit: 'per_s',
      of: ({ total, instances }) => (total === null ? null : total / instances),
    },
    { name: 'efficiency', unit: 'ratio', of: ({ efficiency }) => efficiency },
    {
      name: 'p99',
      unit: 'ms',
      of: (step) => middle(step.phases.flatMap(({ latency_ms: latency }) => latency?.p99 ?? [])),
    },
    ...(several
      ? [{ name: `rounds' total`, unit: 'text' as const, of: (step: Step) => spread(step.phases) }]
      : []),
    {
      name: 'busiest',
      unit: 'ratio',
      of: (step) => meanOf(step.phases.flatMap(({ name }) => byPhase[name]?.busiest ?? [])),
    },
    ...(price === null ? [] : costs(price)),
  ];
  const scale = tableOf(
    `Instances behind HAProxy (least connections), ${number(users)} users for each`,
    steps,
    columns,
    [
      `an instance: ${number(Number(knobs.WORKERS))} worker with ${number(Number(knobs.POOL_SIZE))} database connections, the same for each number of them`,
      `efficiency: of ${smallest?.instances ?? 1} x as much for each instance; busiest: the share of the instance with most calls` +
        (several ? '; p99: of the rounds, the middle one' : ''),
    ],
  );
  const { cores } = environment;
  const parts = [...new Set(Object.values(byPhase).flatMap((one) => Object.keys(one.cores)))];
  const spent = steps.map(({ instances, phases: ofStep }) => {
    const generator = mean(ofStep, 'generator_cpu');
    const host = mean(ofStep, 'host_cpu');
    const own: (number | null)[] = [
      ...parts.map((part) => meanOf(ofStep.flatMap(({ name }) => byPhase[name]?.cores[part] ?? []))),
      generator === null ? null : generator * cores,
    ];
    const others =
      host === null
        ? null
        : Math.max(0, host * cores - own.reduce<number>((sum, one) => sum + (one ?? 0), 0));
    return { instances, own, others, host };
  });
  const processors = tableOf(
    `Where the machine's ${cores} processors went`,
    spent,
    [
      { name: 'instances', unit: 'count', of: ({ instances }) => instances },
      ...[...parts.map((part) => (part === 'instances' ? 'for them' : part)), 'generator'].map(
        (name, index): Column<(typeof spent)[number]> => ({
          name,
          unit: 'count',
          of: ({ own }) => own[index] ?? null,
        }),
      ),
      { name: 'others', unit: 'count', of: ({ others }) => others },
      { name: 'machine', unit: 'ratio', of: ({ host }) => host },
    ],
    [
      'processors that were busy, on average; others: programs that have nothing to do with the test, and Prometheus',
    ],
  );
  const most = Math.max(0, ...spent.map(({ others }) => others ?? 0));
  const losers = steps.filter(({ efficiency }) => efficiency !== null && efficiency < GOOD_EFFICIENCY);
  const findings = losers.slice(0, 1).map(({ instances, phases: ofStep, efficiency }) => {
    const host = mean(ofStep, 'host_cpu');
    const database = meanOf(ofStep.flatMap(({ name }) => byPhase[name]?.cores.PostgreSQL ?? []));
    const figures = { efficiency_ratio: efficiency, host_cpu_ratio: host, database_processors: database };
    return note(
      'the limit',
      `from ${instances} instances on efficiency is ${percent(efficiency)}: ${limitOf(host, database, cores)}`,
      { figures },
    );
  });
  if (most >= OTHERS * cores) {
    findings.push(
      note(
        'other programs',
        `other programs kept up to ${number(most)} of ${cores} processors busy: what the instances did without them is not known`,
        {
          figures: { processors: most },
        },
      ),
    );
  }
  return { tables: [scale, processors], findings };
}

/** @param host share of the machine that was busy @param database processors that PostgreSQL kept busy */
function limitOf(host: number | null, database: number | null, cores: number) {
  if (host === null) return 'what limits could not be seen';
  if (host >= BUSY) {
    return (
      `the machine (${cores} processors, ${percent(host)} busy), which instances, database, balancer and load generator ` +
      'share; instances on machines of their own would do more'
    );
  }
  if (database !== null && database >= BUSY * cores) return 'PostgreSQL, which all of them share';
  return `not the machine (${percent(host)} busy): what they wait for is in the signals (pool, database, upstream)`;
}

/** @param price of an instance, USD an hour */
const costs = (price: number): Column<Step>[] => [
  { name: 'cost/hour', unit: 'usd', of: ({ instances }) => price * instances },
  {
    name: 'cost/1M',
    unit: 'usd',
    of: ({ instances, total }) => (total === null ? null : (price * instances * 1e6) / (total * 3600)),
  },
];

const meanOf = (values: number[]) =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

const middle = (values: number[]) => (values.length === 0 ? null : medianOf(values));

/** @returns fewest instances first */
export function stepsOf(phases: Phase[]): Step[] {
  const counts = [...new Set(phases.map(({ labels }) => Number(labels.instances)))].sort((a, b) => a - b);
  const steps = counts.map((instances) => {
    const ofStep = phases.filter(({ labels }) => Number(labels.instances) === instances);
    // Answered calls of all rounds over the time of all rounds.
    const answered = ofStep.reduce((sum, phase) => sum + (phase.requests ?? 0) - (phase.failed ?? 0), 0);
    const seconds = ofStep.reduce((sum, phase) => sum + (phase.requests === null ? 0 : phase.duration_s), 0);
    return { instances, phases: ofStep, total: seconds > 0 ? answered / seconds : null };
  });
  const [first] = steps;
  const each = first?.total ? first.total / first.instances : null;
  return steps.map((step) => ({
    ...step,
    efficiency: each === null || step.total === null ? null : step.total / (each * step.instances),
  }));
}

function spread(phases: Phase[]) {
  const totals = phases.flatMap(({ requests, failed, duration_s: seconds }) =>
    requests === null || seconds === 0 ? [] : [(requests - (failed ?? 0)) / seconds],
  );
  return totals.length === 0 ? null : `${number(Math.min(...totals))} to ${number(Math.max(...totals))}`;
}
