/** Latencies of calls by outcome. */
import { milliseconds } from '../../contract/units.js';
import type { Counts } from './measured.ts';
import type { Latency } from './sparse-histogram.ts';
import { SparseHistogram } from './sparse-histogram.ts';

/** Same as in xk6-mcp/names.json. */
export const OUTCOMES = ['ok', 'rejected', 'failed', 'unanswered'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type LatencyFigure = Exclude<keyof Latency, 'at_least'>;

/** Percentiles of a latency, as shares. */
const SHARES = { min: 0, p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999, max: 1 } as const;

const FIGURES = Object.keys(SHARES) as LatencyFigure[];

export class Latencies {
  readonly #byOutcome = new Map<Outcome, SparseHistogram>(
    OUTCOMES.map((outcome) => [outcome, new SparseHistogram()]),
  );
  /** Latencies of all calls. */
  readonly all = new SparseHistogram();

  add({ durations = {}, duration }: Pick<Counts, 'durations' | 'duration'>) {
    for (const outcome of OUTCOMES) this.#add(outcome, durations[outcome]);
    // Up to measured/1, only answered calls had a duration.
    this.#add('ok', duration);
  }

  #add(outcome: Outcome, text: string | undefined) {
    if (!text) return;
    this.#byOutcome.get(outcome)?.add(text);
    this.all.add(text);
  }

  of(outcome: Outcome): SparseHistogram {
    return this.#byOutcome.get(outcome) ?? new SparseHistogram();
  }

  /** Calls that were answered, successfully or not. */
  get answered(): number {
    return this.all.count - this.of('unanswered').count;
  }

  /**
   * @param limit milliseconds
   * @returns the number of calls that were not answered within it, including all unanswered ones
   */
  countOver(limit: number): number {
    const unanswered = this.of('unanswered');
    return this.all.countOver(limit) - unanswered.countOver(limit) + unanswered.count;
  }

  /** Latency of the calls with this outcome. @returns null without such calls */
  latencyOf(outcome: Outcome): Latency | null {
    const { latency } = this.of(outcome);
    return latency && outcome === 'unanswered' ? { ...latency, at_least: ['avg', ...FIGURES] } : latency;
  }

  /**
   * Latency of all calls. A figure is a lower bound if too few calls were answered to reach it.
   *
   * @returns null without calls
   */
  get latency(): Latency | null {
    const { latency, count } = this.all;
    const { answered } = this;
    if (!latency || answered === count) return latency;
    const isBound = (share: number) => Math.ceil(share * (count - 1)) >= answered;
    const bounds = Object.entries(SHARES).flatMap(([name, share]) =>
      isBound(share) ? [name as LatencyFigure] : [],
    );
    return { ...latency, at_least: ['avg', ...bounds] };
  }
}

/** @returns whether the figure is only a lower bound because too few calls were answered */
export const isLowerBound = (latency: Latency | null | undefined, figure: LatencyFigure): boolean =>
  latency?.at_least?.includes(figure) ?? false;

/** @param text formatted figure @returns for example `> 10,000 ms` if it is a lower bound */
export const boundText = (text: string, isBound: boolean | undefined): string =>
  isBound ? `> ${text}` : text;

/** @returns for example `85 ms`, or `> 10,000 ms` if too few calls were answered */
export const latencyText = (
  latency: Latency | null | undefined,
  figure: LatencyFigure,
  format: (ms: number | undefined) => string = milliseconds,
): string => boundText(format(latency?.[figure]), isLowerBound(latency, figure));
