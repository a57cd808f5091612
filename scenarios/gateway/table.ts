/** `make gateway`: what a gateway adds to each call, and what it takes away of the throughput. */

import { sumsWithin } from '../../analysis/collect/seconds.ts';
import { PERCENTILE_ERROR } from '../../analysis/collect/sparse-histogram.ts';
import { note } from '../../analysis/findings/note.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { type Difference, differenceOf, type Round } from '../../analysis/statistics/bootstrap.ts';
import { intervalOf } from '../../analysis/statistics/interval.ts';
import { percentile } from '../../analysis/statistics/percentile.ts';
import type { Built, Column, ColumnUnit, Facts } from '../../analysis/tables/report-tables.ts';
import { milliseconds, number, percent } from '../../contract/units.js';
import type { GatewayResult } from './trials.ts';

const WAYS = {
  direct: 'direct, MCP',
  mcp: 'gateway, MCP',
  rpc: 'gateway, JSON-RPC',
} as Record<string, string>;
const SHARES = { p50: 0.5, p95: 0.95, p99: 0.99 };
/** Answers that a percentile needs to be one. */
const NEEDS = { p50: 10, p95: 20, p99: 100 };
/** In the beginning of a phase users open their sessions: seconds, at most a third of it, that are left out. */
const OPENING_S = 2;
/** Busy processors from which on the gateway's one process is what limits. */
const ONE_PROCESS = 0.85;

/** A phase without its beginning. */
export interface Measured {
  round: string;
  /** Of the answers, ms. */
  latencies: number[];
  /** Answers; null without one. */
  perS: number | null;
  /** Processors that the gateway kept busy. */
  busy: number | null;
}

export default function gateway({ phases, trials, seconds }: Facts<GatewayResult>): Built {
  const {
    gateway: name = 'the gateway',
    rate = null,
    cores = {},
  }: Partial<GatewayResult> = trials?.result ?? {};
  const wanted = phases.filter(({ measured, labels }) => measured && labels.round !== 'probe');
  const measured = measure(wanted, seconds, cores);
  const of = (way: string, load: string) =>
    wanted.filter(({ labels }) => labels.way === way && labels.load === load);
  const roundsOf = (way: string, load: string) =>
    of(way, load).flatMap((phase) => measured.get(phase.name) ?? []);

  const ways = Object.keys(WAYS).filter((way) => of(way, 'loop').length > 0);
  const through = ways.filter((way) => way !== 'direct');
  const both = (way: string) => paired(roundsOf('direct', 'steady'), roundsOf(way, 'steady'));
  const steady = ways.map((way) => [
    WAYS[way] ?? way,
    ...counts(of(way, 'steady')),
    ...percentilesOf(roundsOf(way, 'steady')),
  ]);
  const added = through.map((way) => [WAYS[way] ?? way, ...differences(both(way))]);
  const loops = ways.map((way) => ({
    way: WAYS[way] ?? way,
    phases: of(way, 'loop'),
    rounds: roundsOf(way, 'loop'),
    ratio: way === 'direct' ? null : ratioOf(roundsOf('direct', 'loop'), roundsOf(way, 'loop')),
    busy: way === 'direct' ? null : meanOf(roundsOf(way, 'loop').flatMap(({ busy }) => busy ?? [])),
  }));
  const count = new Set(wanted.map(({ labels }) => labels.round)).size;
  const users = of('direct', 'loop')[0]?.vus ?? 0;
  const cut = `the first ${OPENING_S} s of each phase, in which users open their sessions, are left out`;
  return {
    tables: [
      {
        title: `The same calls, ${number(rate)}/s each: direct, and through ${name}`,
        columns: [
          ...columns('text', 'way'),
          ...columns('count', 'requests', 'failed'),
          ...columns('ms', ...Object.keys(SHARES)),
        ],
        rows: steady,
        notes: [
          `${cut}; a percentile is shown from ${Object.values(NEEDS).join(', ')} answers on, and is at most ${percent(PERCENTILE_ERROR)} off`,
        ],
      },
      {
        title: 'What the gateway adds to a call (95% interval)',
        columns: columns('text', 'way', ...Object.keys(SHARES)),
        rows: added,
        notes: [
          `through the gateway minus direct; two-stage bootstrap of ${count} rounds: first of the rounds, then of the answers in each (analysis/bootstrap.js)`,
        ],
      },
      {
        title: `${users} users that call in a loop`,
        columns: [
          ...columns('text', 'way'),
          ...columns('per_s', 'calls/s'),
          ...columns('text', 'of direct (95% interval)'),
          ...columns('ms', ...Object.keys(SHARES)),
          ...columns('count', 'failed', 'CPUs'),
        ],
        rows: loops.map(({ way, phases, rounds, ratio, busy }) => [
          way,
          meanOf(rounds.flatMap(({ perS }) => perS ?? [])),
          ratio,
          ...percentilesOf(rounds),
          counts(phases)[1] ?? null,
          busy,
        ]),
        notes: [
          `the interval is that of the mean ratio of the ${count} rounds, by Student; CPUs: processors that the gateway kept busy`,
        ],
      },
    ],
    findings: [
      ...through.flatMap((way) => {
        const median = differenceOf(both(way), SHARES.p50);
        if (!median) return [];
        const figures = { added_ms: median.value };
        return [note('overhead', `${WAYS[way]}: ${difference(median)} at the median of a call`, { figures })];
      }),
      ...loops.flatMap(({ way, busy }) => {
        if (busy === null || busy < ONE_PROCESS) return [];
        return [
          note(
            "gateway's CPU",
            `${way}, users in a loop: the gateway kept ${number(busy)} processors busy; ` +
              'one process has no more than one, so that is its limit, not the target',
            { figures: { processors: busy } },
          ),
        ];
      }),
    ],
  };
}

const columns = (unit: ColumnUnit, ...names: string[]): Column[] => names.map((name) => ({ name, unit }));

const meanOf = (values: number[]) =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/** @returns requests, and those of them that failed */
const counts = (phases: Phase[]): [number, number] => [
  phases.reduce((sum, { requests }) => sum + (requests ?? 0), 0),
  phases.reduce((sum, { failed }) => sum + (failed ?? 0), 0),
];

/** @param cores by phase @returns by phase */
function measure(
  phases: Phase[],
  seconds: Facts['seconds'],
  cores: Record<string, number | null>,
): Map<string, Measured> {
  const windows = phases.map(({ name, labels, start, duration_s }) => {
    const openingS = Math.min(OPENING_S, duration_s / 3);
    const startS = Date.parse(start ?? '') / 1000;
    // Whole seconds: of the others some of the answers are of another phase's time.
    const [fromS, toS] = [Math.ceil(startS + openingS), Math.floor(startS + duration_s)];
    return { name, round: labels.round ?? '', fromS, toS, phases: [name] };
  });
  const found = sumsWithin([...seconds.values()].flat(), windows);
  return new Map(
    windows.map(({ name, round, fromS, toS }, index) => {
      const latencies = found[index]?.latencies.all.values ?? [];
      const perS = toS > fromS ? latencies.length / (toS - fromS) : 0;
      return [name, { round, latencies, perS: perS || null, busy: cores[name] ?? null }];
    }),
  );
}

function paired(direct: Measured[], through: Measured[]): Round[] {
  return through.map(({ round, latencies }) => ({
    a: direct.find((other) => other.round === round)?.latencies ?? [],
    b: latencies,
  }));
}

const enough = (name: string, count: number) => count >= NEEDS[name as keyof typeof NEEDS];

function percentilesOf(rounds: Measured[]) {
  const sorted = Float64Array.from(rounds.flatMap(({ latencies }) => latencies)).sort();
  return Object.entries(SHARES).map(([name, share]) =>
    enough(name, sorted.length) ? percentile(sorted, share) : null,
  );
}

function differences(rounds: Round[]) {
  const least = Math.min(rounds.flatMap(({ a }) => a).length, rounds.flatMap(({ b }) => b).length);
  return Object.entries(SHARES).map(([name, share]) => {
    const found = enough(name, least) ? differenceOf(rounds, share) : null;
    return found ? difference(found) : `too few (${least})`;
  });
}

function difference({ value, low, high }: Difference) {
  const sign = value < 0 ? '' : '+';
  return `${sign}${milliseconds(value)}${low === null || high === null ? '' : ` (${number(low)} to ${number(high)})`}`;
}

function ratioOf(direct: Measured[], through: Measured[]): string | null {
  // Of logarithms: twice as many and half as many are equally far from the same.
  const ratios = through.flatMap(({ round, perS }) => {
    const same = direct.find((other) => other.round === round)?.perS;
    return perS && same ? [Math.log(perS / same)] : [];
  });
  const interval = intervalOf(ratios);
  if (!interval) return null;
  const { mean, low, high } = interval;
  const between =
    low === null || high === null ? '' : ` (${percent(Math.exp(low))} to ${percent(Math.exp(high))})`;
  return `${percent(Math.exp(mean))}${between}`;
}
