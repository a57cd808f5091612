/** `make concurrency`: the gain of concurrent calls, and the best number of them. */

import { note } from '../../analysis/findings/note.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { RECOMMENDED } from '../../analysis/limits.ts';
import { median, medianLatency, type Repeated, repetitions } from '../../analysis/tables/repetitions.ts';
import { type Built, type Facts, type ReportTable, tableOf } from '../../analysis/tables/report-tables.ts';
import { smallestNearBest } from '../../analysis/tables/smallest-near-best.ts';
import { number, percent, perSecond } from '../../contract/units.js';

const usersOf = ({ labels }: Repeated) => Number(labels.users);

const throughput = (level: Repeated) => median(level, ({ achieved_rps: rate }) => rate);

export default function concurrency({ phases, plan }: Facts): Built {
  const levels = repetitions(phases).sort((a, b) => usersOf(a) - usersOf(b));
  const operationOf = new Map(plan.phases.map(({ name, operation }) => [name, operation]));
  const built = [...new Set(plan.phases.flatMap(({ operation }) => operation ?? []))].map((operation) => {
    const own = levels.filter(({ phases: all }) => operationOf.get(all[0]?.name ?? '') === operation);
    return { table: levelTable(operation, own), findings: findingsOf(operation, own) };
  });
  return { tables: built.map(({ table }) => table), findings: built.flatMap(({ findings }) => findings) };
}

function levelTable(operation: string, levels: Repeated[]): ReportTable {
  const times = levels[0]?.phases.length ?? 0;
  const lasted = ({ iterations, duration_s: seconds }: Phase) => (iterations ? seconds : null);
  const sorted = ({ phases }: Repeated) =>
    phases.flatMap(({ achieved_rps: rate }) => rate ?? []).sort((a, b) => a - b);
  return tableOf(
    `Concurrent calls of ${operation} (${levels[0]?.phases[0]?.iterations_planned ?? 0} in all)`,
    levels,
    [
      { name: 'concurrency', unit: 'text', of: ({ labels }) => labels.users ?? null },
      { name: 'duration', unit: 's', of: (level) => median(level, lasted) },
      { name: 'throughput', unit: 'per_s', of: throughput },
      { name: 'from', unit: 'per_s', of: (level) => sorted(level)[0] ?? null },
      { name: 'to', unit: 'per_s', of: (level) => sorted(level).at(-1) ?? null },
      { name: 'avg', unit: 'ms', of: (level) => median(level, ({ latency_ms }) => latency_ms?.avg ?? null) },
      { name: 'p95', unit: 'ms', of: (level) => medianLatency(level, 'p95') },
      { name: 'speed-up', unit: 'factor', of: (level) => speedup(level, levels) },
    ],
    [
      `Each figure is the median of ${times} repetition${times === 1 ? '' : 's'}; from and to are the slowest and the fastest. VUs are already connected and begin together.`,
    ],
  );
}

/** @returns throughput relative to one VU */
function speedup(level: Repeated, levels: Repeated[]): number | null {
  const single = levels.find((one) => usersOf(one) === 1);
  const [own, base] = [throughput(level), single && throughput(single)];
  return own && base ? own / base : null;
}

/** @returns the level with the fewest VUs whose throughput is as good as the best */
export function optimum(levels: Repeated[]): Repeated | undefined {
  const candidates = levels.filter(({ phases }) =>
    phases.every(
      ({ completed, failure_rate: rate }) => completed && rate !== null && rate < RECOMMENDED.maxFailures,
    ),
  );
  return smallestNearBest(candidates, throughput, usersOf);
}

function findingsOf(operation: string, levels: Repeated[]) {
  if (levels.length < 2) return [];
  const best = optimum(levels);
  const own = best && throughput(best);
  if (!best || !own) {
    const statement = `${operation}: the best concurrency is inconclusive: no level made all calls with failures below ${percent(RECOMMENDED.maxFailures)}`;
    return [note('concurrency', statement, { confidence: 'low' })];
  }
  const gain = speedup(best, levels);
  return [
    note(
      'concurrency',
      `${operation}: ${usersOf(best)} concurrent is best, with ${perSecond(own)}${gain === null ? '' : ` or ${number(gain)} x one VU`} ` +
        `(rule: the fewest VUs within ${percent(RECOMMENDED.tie)} of the highest median throughput, with failures below ${percent(RECOMMENDED.maxFailures)})`,
      { phase: best.phases[0]?.name ?? null, figures: { throughput_rps: own, speedup_ratio: gain } },
    ),
  ];
}
