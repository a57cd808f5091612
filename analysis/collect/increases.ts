/** Increases of Prometheus counters during phases, for the tables of tests. */
import type { Phase } from '../judge/phases.ts';
import { type Prometheus, PrometheusError } from './prometheus.ts';

export interface Counter {
  /** Selector of one or several counters, for example `database_queries_total{job="target"}`. */
  selector: string;
  phase: Pick<Phase, 'name' | 'start' | 'end'>;
}

/** By phase and selector. */
export type Increases = Map<string, number | null>;

const keyOf = ({ selector, phase }: Counter) => JSON.stringify([phase.name, selector]);

/** @returns null if unknown */
export const increaseIn = (increases: Increases, selector: string, phase: Counter['phase']): number | null =>
  increases.get(keyOf({ selector, phase })) ?? null;

/** @param prometheus null if there is none */
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

/** Maximum delay of a scrape. */
const SCRAPE_S = 2;

/**
 * @returns the counters' total increase from the start to the end of the phase. Events within two seconds
 *   of either may be included or not. Counter resets are handled. null if unknown
 */
async function increaseOf(
  prometheus: Prometheus,
  { selector, phase: { start, end } }: Counter,
): Promise<number | null> {
  if (!start || !end) return null;
  const [fromS, toS] = [Date.parse(start) / 1000, Date.parse(end) / 1000 + SCRAPE_S];
  try {
    const series = await prometheus.queryRange(selector, fromS, toS, SCRAPE_S);
    // A single sample shows no change. Scrapes of an overloaded server may fail.
    if (series.every(({ points }) => points.length < 2)) return null;
    // A counter is never negative.
    if (series.some(({ points }) => points.some(([, value]) => value < 0))) return null;
    return series.reduce((sum, { points }) => sum + totalIncrease(points.map(([, value]) => value)), 0);
  } catch (error) {
    if (error instanceof PrometheusError) return null;
    throw error;
  }
}

/** @param values values of a counter, in order of time */
function totalIncrease(values: number[]) {
  let sum = 0;
  let before = values[0] ?? 0;
  for (const value of values) {
    sum += value >= before ? value - before : value;
    before = value;
  }
  return sum;
}
