/** `make scaling`: the gain and the cost of more instances. */

import { signalMean } from '../../analysis/collect/signals.ts';
import type { Finding } from '../../analysis/findings/finding.ts';
import { note } from '../../analysis/findings/note.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { meanOf, medianOf } from '../../analysis/statistics/interval.ts';
import { type Built, type Column, type Facts, tableOf } from '../../analysis/tables/report-tables.ts';
import { number, percent } from '../../contract/units.js';
import type { ScalingResult } from './trials.ts';

/** CPU utilization at which a processor has no capacity left. */
const BUSY = 0.9;
/** CPUs in use by other programs at which they distort the measurement. */
const OTHERS = 0.25;
/** Minimum efficiency relative to linear scaling; below it a cause is reported. */
const GOOD_EFFICIENCY = 0.9;

/** The results for one number of instances. */
interface Step {
  instances: number;
  /** One phase per round. */
  rounds: Phase[];
  /** Calls/s. */
  total: number | null;
  efficiency: number | null;
}

export default function scaling({ phases, trials, signals, environment }: Facts<ScalingResult>): Built {
  const result: Partial<ScalingResult> = trials?.result ?? {};
  const { users, repeats = 1, settings = {}, price = null, phases: byPhase = {} } = result;
  const { cores } = environment;
  const several = repeats > 1;
  const steps = stepsOf(phases.filter(({ measured, labels }) => measured && labels.instances));
  const mean = ({ rounds }: Step, figure: (phase: string) => number | null | undefined) =>
    average(rounds.flatMap(({ name }) => figure(name) ?? []));
  const signal = (step: Step, wanted: string) => mean(step, (phase) => signalMean(signals, wanted, phase));
  const host = (step: Step) => signal(step, 'host_cpu');
  const p99 = ({ rounds }: Step) => middle(rounds.flatMap(({ latency_ms: latency }) => latency?.p99 ?? []));
  const spread: Column<Step> = { name: "rounds' total", unit: 'text', of: spreadOf };
  const scale: Column<Step>[] = [
    { name: 'instances', unit: 'count', of: ({ instances }) => instances },
    { name: 'total', unit: 'per_s', of: ({ total }) => total },
    { name: 'per instance', unit: 'per_s', of: ({ total, instances }) => total && total / instances },
    { name: 'efficiency', unit: 'ratio', of: ({ efficiency }) => efficiency },
    { name: 'p99', unit: 'ms', of: p99 },
    ...(several ? [spread] : []),
    { name: 'busiest', unit: 'ratio', of: (step) => mean(step, (phase) => byPhase[phase]?.busiest) },
    ...(price === null ? [] : costs(price)),
  ];
  const parts = [...new Set(Object.values(byPhase).flatMap((one) => Object.keys(one.cores)))];
  const spentBy = (part: string, step: Step) => mean(step, (phase) => byPhase[phase]?.cores[part]);
  const generator = (step: Step) => {
    const share = signal(step, 'generator_cpu');
    return share && share * cores;
  };
  const others = (step: Step) => {
    const busy = host(step);
    const own = [...parts.map((part) => spentBy(part, step)), generator(step)];
    return busy === null
      ? null
      : Math.max(0, busy * cores - own.reduce<number>((sum, one) => sum + (one ?? 0), 0));
  };
  const processors: Column<Step>[] = [
    { name: 'instances', unit: 'count', of: ({ instances }) => instances },
    ...parts.map(
      (part): Column<Step> => ({
        name: part === 'instances' ? 'for them' : part,
        unit: 'count',
        of: (step) => spentBy(part, step),
      }),
    ),
    { name: 'generator', unit: 'count', of: generator },
    { name: 'others', unit: 'count', of: others },
    { name: 'machine', unit: 'ratio', of: host },
  ];
  const tables = [
    tableOf(`Instances behind HAProxy (least connections), ${number(users)} VUs per instance`, steps, scale, [
      `Each instance has ${number(Number(settings.WORKERS))} worker with ${number(Number(settings.POOL_SIZE))} database connections.`,
      `Efficiency: throughput per instance relative to ${steps[0]?.instances === 1 || !steps[0] ? 'one instance' : `${steps[0].instances} instances`}. Busiest: share of the calls of the instance with the most calls.` +
        (several ? ' p99: median of the rounds.' : ''),
    ]),
    tableOf(`Where the machine's ${cores} processors went`, steps, processors, [
      'Mean number of busy processors. Others: Prometheus and unrelated programs.',
    ]),
  ];
  const findings: Finding[] = [];
  const loser = steps.find(({ efficiency }) => efficiency !== null && efficiency < GOOD_EFFICIENCY);
  if (loser) {
    const { instances, efficiency } = loser;
    const [busy, database] = [host(loser), spentBy('PostgreSQL', loser)];
    const figures = { efficiency_ratio: efficiency, host_cpu_ratio: busy, database_processors: database };
    const limit = limitOf(busy, database, cores);
    const statement = `with ${instances} or more instances, efficiency is ${percent(efficiency)}: ${limit}`;
    findings.push(note('the limit', statement, { figures }));
  }
  const most = Math.max(0, ...steps.map((step) => others(step) ?? 0));
  if (most >= OTHERS * cores) {
    const statement = `other programs kept up to ${number(most)} of ${cores} processors busy: the throughput without them is unknown`;
    findings.push(note('other programs', statement, { figures: { processors: most } }));
  }
  return { tables, findings };
}

/** @param host CPU utilization of the machine @param database CPUs that PostgreSQL kept busy */
function limitOf(host: number | null, database: number | null, cores: number) {
  if (host === null) return 'the limit is unknown';
  if (host >= BUSY) {
    return (
      `the machine (${cores} processors, ${percent(host)} busy), shared by instances, database, load balancer and load generator` +
      '; instances on separate machines would do more'
    );
  }
  if (database !== null && database >= BUSY * cores) return 'PostgreSQL, which all instances share';
  return `not the machine (${percent(host)} busy); see the signals for the cause (pool, database, upstream)`;
}

/** @param price price of an instance, USD per hour */
const costs = (price: number): Column<Step>[] => [
  { name: 'cost/hour', unit: 'usd', of: ({ instances }) => price * instances },
  {
    name: 'cost/1M',
    unit: 'usd',
    of: ({ instances, total }) => (total === null ? null : (price * instances * 1e6) / (total * 3600)),
  },
];

const average = (values: number[]) => (values.length === 0 ? null : meanOf(values));
const middle = (values: number[]) => (values.length === 0 ? null : medianOf(values));

/** @returns the steps by ascending number of instances */
function stepsOf(phases: Phase[]): Step[] {
  const counts = [...Map.groupBy(phases, ({ labels }) => Number(labels.instances))].sort(([a], [b]) => a - b);
  const steps = counts.map(([instances, rounds]) => {
    // All answered calls divided by the total time of all rounds.
    const answered = rounds.reduce((sum, phase) => sum + (phase.requests ?? 0) - (phase.failed ?? 0), 0);
    const seconds = rounds.reduce((sum, phase) => sum + (phase.requests === null ? 0 : phase.duration_s), 0);
    return { instances, rounds, total: seconds > 0 ? answered / seconds : null };
  });
  const [first] = steps;
  const each = first?.total ? first.total / first.instances : null;
  return steps.map((step) => ({
    ...step,
    efficiency: each === null || step.total === null ? null : step.total / (each * step.instances),
  }));
}

function spreadOf({ rounds }: Step) {
  const totals = rounds.flatMap(({ requests, failed, duration_s: seconds }) =>
    requests === null || seconds === 0 ? [] : [(requests - (failed ?? 0)) / seconds],
  );
  return totals.length === 0 ? null : `${number(Math.min(...totals))} to ${number(Math.max(...totals))}`;
}
