/** `make concurrency`: what concurrent calls gain, and how many are best. */

import { note } from '../../analysis/findings/note.ts';
import { median, medianLatency, type Repeated, repetitions } from '../../analysis/tables/repetitions.ts';
import type { Built, Facts, ReportTable } from '../../analysis/tables/report-tables.ts';
import { number, percent, perSecond } from '../../contract/units.js';

/** Throughputs closer than this count as equal: the fewer users win. */
const TIE = 0.1;
const MAX_FAILURE_SHARE = 0.01;

const usersOf = ({ labels }: Repeated) => Number(labels.users);

export default function concurrency({ phases, plan }: Facts): Built {
  const levels = repetitions(phases).sort((a, b) => usersOf(a) - usersOf(b));
  const operationOf = new Map(plan.phases.map(({ name, operation }) => [name, operation]));
  const built = [...new Set(plan.phases.flatMap(({ operation }) => operation ?? []))].map((operation) => {
    const own = levels.filter(({ phases: all }) => operationOf.get(all[0]?.name ?? '') === operation);
    return { table: tableOf(operation, own), findings: findingsOf(operation, own) };
  });
  return { tables: built.map(({ table }) => table), findings: built.flatMap(({ findings }) => findings) };
}

function tableOf(operation: string, levels: Repeated[]): ReportTable {
  const single = levels.find((level) => usersOf(level) === 1);
  const times = levels[0]?.phases.length ?? 0;
  return {
    title: `Concurrent calls of ${operation} (${levels[0]?.phases[0]?.iterations_planned ?? 0} in all)`,
    columns: [
      { name: 'concurrency', unit: 'text' },
      { name: 'duration', unit: 's' },
      { name: 'throughput', unit: 'per_s' },
      { name: 'from', unit: 'per_s' },
      { name: 'to', unit: 'per_s' },
      { name: 'avg', unit: 'ms' },
      { name: 'p95', unit: 'ms' },
      { name: 'speed-up', unit: 'factor' },
    ],
    rows: levels.map((level) => {
      const rates = level.phases.flatMap(({ achieved_rps: rate }) => rate ?? []);
      const own = throughput(level);
      const base = single && throughput(single);
      return [
        level.labels.users ?? null,
        median(level, ({ duration_s: seconds, iterations }) => (iterations ? seconds : null)),
        own,
        rates.length > 0 ? Math.min(...rates) : null,
        rates.length > 0 ? Math.max(...rates) : null,
        median(level, ({ latency_ms: latency }) => latency?.avg ?? null),
        medianLatency(level, 'p95'),
        own && base ? own / base : null,
      ];
    }),
    notes: [
      `Each figure is the median of ${times} repetition${times === 1 ? '' : 's'}; from and to: the slowest and the fastest of them. Users have a connection and begin together.`,
    ],
  };
}

const throughput = (level: Repeated) => median(level, ({ achieved_rps: rate }) => rate);

/** @returns the fewest users whose throughput is as good as the best */
export function optimum(levels: Repeated[]): Repeated | undefined {
  const candidates = levels.filter(({ phases }) =>
    phases.every(({ completed, error_rate: rate }) => completed && rate !== null && rate < MAX_FAILURE_SHARE),
  );
  const top = Math.max(...candidates.map((level) => throughput(level) ?? 0));
  return candidates
    .sort((a, b) => usersOf(a) - usersOf(b))
    .find((level) => top > 0 && (throughput(level) ?? 0) >= (1 - TIE) * top);
}

function findingsOf(operation: string, levels: Repeated[]) {
  const best = optimum(levels);
  const single = levels.find((level) => usersOf(level) === 1);
  const [own, base] = [best && throughput(best), single && throughput(single)];
  if (levels.length < 2) return [];
  if (!best || !own) {
    const statement = `${operation}: not enough to tell how many concurrent calls are best: at no level all calls were made, with failures below ${percent(MAX_FAILURE_SHARE)}`;
    return [note('concurrency', statement, { confidence: 'low' })];
  }
  const gain = base ? own / base : null;
  return [
    note(
      'concurrency',
      `${operation}: ${usersOf(best)} concurrent is best, with ${perSecond(own)}${gain === null ? '' : ` or ${number(gain)} x one user`} ` +
        `(rule: the fewest users within ${percent(TIE)} of the highest median throughput, with failures below ${percent(MAX_FAILURE_SHARE)})`,
      { phase: best.phases[0]?.name ?? null, figures: { throughput_rps: own, speedup_ratio: gain } },
    ),
  ];
}
