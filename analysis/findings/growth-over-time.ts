/**
 * Detects memory growth that does not depend on the load. A run whose phases have different loads shows it
 * within minutes.
 */
import { inUnit, perSecond } from '../../contract/units.js';
import { timesOf } from '../collect/grid.ts';
import type { Timeline } from '../collect/timeline.ts';
import type { Phase } from '../judge/phases.ts';
import { DRIFT } from '../limits.ts';
import { round } from '../round.ts';
import { theilSen } from '../statistics/theil-sen.ts';
import type { Finding } from './finding.ts';
import type { Known } from './known.ts';

const SIGNAL = 'memory';

interface Part {
  phase: Phase;
  /** Bytes per second. */
  slope: number;
}

/** @returns one finding at most; none if memory does not grow, or grows with the number of calls */
export function growthOverTime({ phases, timeline }: Pick<Known, 'phases' | 'timeline'>): Finding[] {
  const values = timeline?.signals[SIGNAL]?.values;
  if (!timeline || !values) return [];
  const points = pointsOf(timeline, values);
  const measured = phases.filter((phase) => phase.measured && phase.start !== null && phase.end !== null);
  const parts = measured.flatMap((phase) => {
    const inside = pointsIn(points, [phase]);
    const fit = inside.length >= DRIFT.minPoints ? theilSen(inside) : null;
    return fit ? [{ phase, slope: fit.slope }] : [];
  });
  const inRun = pointsIn(points, measured);
  const slope = theilSen(inRun)?.slope ?? 0;
  const [first, last] = [inRun[0]?.[1] ?? 0, inRun.at(-1)?.[1] ?? 0];
  const loads = parts.map(rateOf).filter((rate) => rate > 0);
  const isSteady = parts.every((part) => Math.abs(part.slope - slope) <= DRIFT.maxApart * slope);
  const hasGrown = last - first >= Math.max(DRIFT.minGrowthBytes, DRIFT.minGrowth * first);
  if (loads.length < 2 || Math.max(...loads) < DRIFT.loadFactor * Math.min(...loads)) return [];
  if (parts.length < measured.length || !isSteady || !hasGrown) return [];
  return [findingOf(parts, slope, first, last)];
}

function findingOf(parts: readonly Part[], slope: number, first: number, last: number): Finding {
  const byLoad = parts.toSorted((a, b) => rateOf(a) - rateOf(b));
  const each = [byLoad[0], byLoad.at(-1)].flatMap((part) =>
    part ? [`${inUnit('bytes_rate', part.slope)} at ${perSecond(rateOf(part))}`] : [],
  );
  return {
    kind: 'leak',
    subject: 'memory',
    phase: null,
    confidence: 'high',
    statement: `memory grows by ${inUnit('bytes_rate', slope)} over time, independently of the calls: ${each.join(', ')}`,
    figures: { bytes_per_second: round(slope), bytes_first: first, bytes_last: last },
    evidence: [
      `memory went from ${inUnit('bytes', first)} to ${inUnit('bytes', last)}`,
      `Theil-Sen slopes by phase: ${parts.map(({ phase, slope: own }) => `${phase.name} ${inUnit('bytes_rate', own)}`).join(', ')}`,
    ],
    observations: [{ series: SIGNAL, unit: 'bytes', from: first, to: last, threshold: null, at: null }],
  };
}

const rateOf = ({ phase }: Part): number => phase.achieved_rps ?? 0;

/** @returns pairs of Unix time and value, without gaps */
const pointsOf = (timeline: Timeline, values: readonly (number | null)[]): [number, number][] =>
  timesOf(timeline).flatMap((time, index) => {
    const value = values[index];
    return value == null ? [] : [[time, value] as [number, number]];
  });

const pointsIn = (points: readonly [number, number][], phases: readonly Phase[]) =>
  points.filter(([time]) =>
    phases.some(
      ({ start, end }) => time * 1000 >= Date.parse(start ?? '') && time * 1000 < Date.parse(end ?? ''),
    ),
  );
