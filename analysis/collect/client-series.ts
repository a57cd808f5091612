/** Builds the client's series of a timeline from what the output lab wrote each second. */

import type { Phase } from '../judge/phases.ts';
import { type Grid, timesOf } from './grid.ts';
import type { Within } from './seconds.ts';
import type { Timeline } from './timeline.ts';

const QUANTILES = { p50: 0.5, p95: 0.95, p99: 0.99 };

/** @param windows one for each point of the grid, with the seconds before the point */
export function seriesOfWindows(
  windows: readonly Within[],
  grid: Grid,
  phases: readonly Phase[],
): Timeline['client'] {
  const { window_s } = grid;
  const histograms = windows.map(({ latencies }) => latencies.all);
  const perSecond = (of: (window: (typeof windows)[number]) => number, among = of) =>
    windows.map((window) => (among(window) > 0 ? of(window) / window_s : null));
  const kinds = new Set(windows.flatMap(({ failures }) => [...failures.keys()]));
  const latency = Object.entries(QUANTILES).map(([name, share]) => [
    name,
    { unit: 'milliseconds', values: histograms.map((one) => one.percentile(share)) },
  ]);
  return {
    ...Object.fromEntries(latency),
    mean: { unit: 'milliseconds', values: histograms.map(({ mean }) => mean) },
    requests: { unit: 'rate', values: perSecond(({ requests }) => requests) },
    answered: {
      unit: 'rate',
      values: perSecond(
        ({ answered }) => answered,
        ({ answered, requests }) => answered + requests,
      ),
    },
    iterations: { unit: 'rate', values: perSecond(({ iterations }) => iterations) },
    offered: { unit: 'rate', values: timesOf(grid).map((toS) => offeredWithin(toS - window_s, toS, phases)) },
    dropped: {
      unit: 'rate',
      values: perSecond(
        ({ dropped }) => dropped,
        ({ iterations }) => iterations,
      ),
    },
    failed: {
      unit: 'ratio',
      values: windows.map(({ failureRate }) => failureRate),
    },
    vus: { unit: 'count', values: windows.map(({ vus }) => vus) },
    ...Object.fromEntries(
      [...kinds]
        .sort()
        .map((kind) => [
          `failures_${kind}`,
          { unit: 'rate', values: perSecond(({ failures }) => failures.get(kind) ?? 0) },
        ]),
    ),
  };
}

/**
 * @returns the mean offered rate over the part of the window in which a rate was offered; null without such
 *   a part
 */
function offeredWithin(fromS: number, toS: number, phases: readonly Phase[]): number | null {
  const parts = phases.flatMap(({ start, end, offered_rps: rate }) => {
    if (start === null || end === null || rate === null) return [];
    const seconds = Math.min(toS, Date.parse(end) / 1000) - Math.max(fromS, Date.parse(start) / 1000);
    return seconds > 0 ? [{ seconds, rate }] : [];
  });
  const total = parts.reduce((sum, { seconds }) => sum + seconds, 0);
  return total === 0 ? null : parts.reduce((sum, { seconds, rate }) => sum + seconds * rate, 0) / total;
}
