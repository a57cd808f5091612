/** What counters of Prometheus counted in phases, for the tables of tests. */
import type { Phase } from '../judge/phases.ts';
import { type Prometheus, PrometheusError } from './prometheus.ts';

export interface Counter {
  /** Of one counter or several, for example `database_queries_total{job="target"}`. */
  selector: string;
  phase: Pick<Phase, 'name' | 'start' | 'end'>;
}

/** By phase and selector. */
export type Increases = Map<string, number | null>;

const keyOf = ({ selector, phase }: Counter) => JSON.stringify([phase.name, selector]);

/** @returns null: not known */
export const increaseIn = (increases: Increases, selector: string, phase: Counter['phase']): number | null =>
  increases.get(keyOf({ selector, phase })) ?? null;

/** @param prometheus null: none was named */
export async function observeIncreases(
  prometheus: Prometheus | null,
  counters: Counter[],
): Promise<Increases> {
  if (!prometheus) return new Map();
  const found = counters.map(
    async (counter) => [keyOf(counter), await increaseOf(prometheus, counter)] as const,
  );
  return new Map(await Promise.all(found));
}

/** A scrape is at most this much later than what it counted. */
const SCRAPE_S = 2;

/**
 * @returns what they counted, all together, from the phase's start to its end: what happens in the two seconds around either is in or out.
 *   null: not known. A counter that began anew meanwhile counts from 0
 */
async function increaseOf(
  prometheus: Prometheus,
  { selector, phase: { start, end } }: Counter,
): Promise<number | null> {
  if (!start || !end) return null;
  const [fromS, toS] = [Date.parse(start) / 1000, Date.parse(end) / 1000 + SCRAPE_S];
  try {
    const series = await prometheus.queryRange(selector, fromS, toS, SCRAPE_S);
    // One look tells of no change; more of them fail where the server is too busy to be looked at.
    if (series.every(({ points }) => points.length < 2)) return null;
    // No counter has less than nothing.
    if (series.some(({ points }) => points.some(([, value]) => value < 0))) return null;
    return series.reduce((sum, { points }) => sum + risen(points.map(([, value]) => value)), 0);
  } catch (error) {
    if (error instanceof PrometheusError) return null;
    throw error;
  }
}

/** @param values of a counter, in time */
function risen(values: number[]) {
  let sum = 0;
  let before = values[0] ?? 0;
  for (const value of values) {
    sum += value >= before ? value - before : value;
    before = value;
  }
  return sum;
}
