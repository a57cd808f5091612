/** `make gateway`: the latency that a gateway adds to each call, and the throughput that it costs. */

import { sumsWithin } from '../../analysis/collect/seconds.ts';
import { PERCENTILE_ERROR } from '../../analysis/collect/sparse-histogram.ts';
import { note } from '../../analysis/findings/note.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { intervalOf } from '../../analysis/statistics/interval.ts';
import { percentile } from '../../analysis/statistics/percentile.ts';
import {
  type Built,
  type Cell,
  type Column,
  type Facts,
  tableOf,
} from '../../analysis/tables/report-tables.ts';
import { milliseconds, number, percent } from '../../contract/units.js';
import type { GatewayResult } from './trials.ts';

const WAYS = { direct: 'direct, MCP', mcp: 'gateway, MCP', rpc: 'gateway, JSON-RPC' };
const MEDIAN = 0.5;
/** needs: minimum number of answers in all rounds together. */
const PERCENTILES = [
  { name: 'p50', share: MEDIAN, needs: 10 },
  { name: 'p95', share: 0.95, needs: 20 },
  { name: 'p99', share: 0.99, needs: 100 },
];
/** Seconds to exclude at the start of a phase, when VUs open their sessions; at most a third of the phase. */
const OPENING_S = 2;
/** Busy cores at which the gateway's single process is the limit. */
const ONE_PROCESS = 0.85;

/** A phase without its excluded start. */
interface Measured {
  phase: Phase;
  /** Latencies of the answers, ms. */
  latencies: number[];
  /** Answers/s; null if there are none. */
  perS: number | null;
  /** Cores that the gateway kept busy. */
  busy: number | null;
}

/**
 * One way under one load. direct: the direct way's rounds, for comparison; empty in the row of the direct
 * way.
 */
type Row = { way: string; rounds: Measured[]; direct: Measured[] };

export default function gateway({ phases, trials, seconds }: Facts<GatewayResult>): Built {
  const result = trials?.result;
  const wanted = phases.filter(({ measured, labels }) => measured && labels.round !== 'probe');
  const measured = measure(wanted, seconds, result?.cores ?? {});
  const roundsOf = (way: string, load: string) =>
    measured.filter(({ phase: { labels } }) => labels.way === way && labels.load === load);
  const ways = Object.entries(WAYS).filter(([way]) => roundsOf(way, 'loop').length > 0);
  const rowsOf = (load: string): Row[] =>
    ways.map(([way, label]) => {
      const direct = way === 'direct' ? [] : roundsOf('direct', load);
      return { way: label, rounds: roundsOf(way, load), direct };
    });
  const [steady, loop] = [rowsOf('steady'), rowsOf('loop')];
  const through = steady.filter(({ way }) => way !== WAYS.direct);
  const count = new Set(wanted.map(({ labels }) => labels.round)).size;
  const users = roundsOf('direct', 'loop')[0]?.phase.vus ?? 0;
  return {
    tables: [
      tableOf(
        `The same calls at ${number(result?.rate)}/s: direct, and through ${result?.gateway ?? 'the gateway'}`,
        steady,
        [WAY, { name: 'requests', unit: 'count', of: (row) => sumOf(row, 'requests') }, FAILED, ...LATENCIES],
        [
          `The first ${OPENING_S} s of each phase are left out, because VUs open their sessions. A percentile needs at least ${PERCENTILES.map(({ needs }) => needs).join(', ')} answers and is at most ${percent(PERCENTILE_ERROR)} off.`,
        ],
      ),
      tableOf(
        'What the gateway adds to a call (95% interval)',
        through,
        [WAY, ...ADDED],
        [
          `The mean, over the ${count} rounds, of the gateway's latency minus the direct latency, with Student's t interval.`,
        ],
      ),
      tableOf(
        `${users} VUs that call in a loop`,
        loop,
        [
          WAY,
          { name: 'calls/s', unit: 'per_s', of: (row) => meanOf(row, 'perS') },
          { name: 'vs direct (95% interval)', unit: 'text', of: ratioText },
          ...LATENCIES,
          FAILED,
          { name: 'CPUs', unit: 'count', of: busyOf },
        ],
        [
          `The interval is Student's t interval of the mean ratio over the ${count} rounds. CPUs: processors that the gateway kept busy.`,
        ],
      ),
    ],
    findings: [
      ...through.flatMap((row) => {
        const median = addedOf(row, MEDIAN);
        if (!median) return [];
        const figures = { added_ms: median.mean };
        return [note('overhead', `${row.way}: ${median.text} at the median of a call`, { figures })];
      }),
      ...loop.flatMap((row) => {
        const processors = busyOf(row) ?? 0;
        const statement =
          `${row.way}, VUs in a loop: the gateway kept ${number(processors)} processors busy; ` +
          'a single process cannot use more than one, so the gateway is the limit, not the target';
        const finding = note("gateway's CPU", statement, { figures: { processors } });
        return processors < ONE_PROCESS ? [] : [finding];
      }),
    ],
  };
}

const sumOf = ({ rounds }: Row, figure: 'requests' | 'failed') =>
  rounds.reduce((sum, { phase }) => sum + (phase[figure] ?? 0), 0);

const meanOf = ({ rounds }: Row, figure: 'perS' | 'busy') =>
  intervalOf(rounds.flatMap((round) => round[figure] ?? []))?.mean ?? null;

const busyOf = (row: Row) => (row.way === WAYS.direct ? null : meanOf(row, 'busy'));

const answers = (rounds: Measured[]) => rounds.flatMap(({ latencies }) => latencies);

/** @param latencies at least one */
const percentileOf = (latencies: number[], share: number) =>
  percentile(Float64Array.from(latencies).sort(), share);

const WAY: Column<Row> = { name: 'way', unit: 'text', of: ({ way }) => way };
const FAILED: Column<Row> = { name: 'failed', unit: 'count', of: (row) => sumOf(row, 'failed') };

const LATENCIES = PERCENTILES.map(({ name, share, needs }): Column<Row> => {
  const figure = (latencies: number[]) => (latencies.length < needs ? null : percentileOf(latencies, share));
  return { name, unit: 'ms', of: ({ rounds }) => figure(answers(rounds)) };
});

const ADDED = PERCENTILES.map(({ name, share, needs }): Column<Row> => {
  const of = (row: Row) => {
    const count = Math.min(answers(row.rounds).length, answers(row.direct).length);
    return count < needs ? `too few (${count})` : (addedOf(row, share)?.text ?? 'inconclusive');
  };
  return { name, unit: 'text', of };
});

/** @param cores by phase */
function measure(phases: Phase[], seconds: Facts['seconds'], cores: GatewayResult['cores']): Measured[] {
  const lines = [...seconds.values()].flat();
  return phases.map((phase) => {
    const startS = Date.parse(phase.start ?? '') / 1000;
    // Whole seconds only: other seconds also contain answers of the adjacent phase.
    const fromS = Math.ceil(startS + Math.min(OPENING_S, phase.duration_s / 3));
    const toS = Math.floor(startS + phase.duration_s);
    const [sums] = sumsWithin(lines, [{ fromS, toS, phases: [phase.name] }]);
    const latencies = sums?.latencies.all.values ?? [];
    const perS = toS > fromS ? latencies.length / (toS - fromS) : 0;
    return { phase, latencies, perS: perS || null, busy: cores[phase.name] ?? null };
  });
}

/** @returns the confidence interval of the mean over the rounds in which both ways have answers */
function intervalWithin({ rounds, direct }: Row, figure: (direct: Measured, through: Measured) => number) {
  const figures = rounds.flatMap((through) => {
    const other = direct.find(({ phase }) => phase.labels.round === through.phase.labels.round);
    return other?.perS && through.perS ? [figure(other, through)] : [];
  });
  return intervalOf(figures);
}

/** @returns the latency that the gateway adds to the percentile, ms; null = no round has answers both ways */
function addedOf(row: Row, share: number): { mean: number; text: string } | null {
  const interval = intervalWithin(
    row,
    (direct, through) => percentileOf(through.latencies, share) - percentileOf(direct.latencies, share),
  );
  if (!interval) return null;
  const { mean, low, high } = interval;
  const range = low === null || high === null ? 'inconclusive' : `${number(low)} to ${number(high)}`;
  return { mean, text: `${mean < 0 ? '' : '+'}${milliseconds(mean)} (${range})` };
}

function ratioText(row: Row): Cell {
  // Use logarithms, so that twice and half the throughput are equally far from no difference.
  const interval = intervalWithin(row, (direct, through) =>
    Math.log(Number(through.perS) / Number(direct.perS)),
  );
  if (!interval) return null;
  const { mean, low, high } = interval;
  const range =
    low === null || high === null ? '' : ` (${percent(Math.exp(low))} to ${percent(Math.exp(high))})`;
  return `${percent(Math.exp(mean))}${range}`;
}
