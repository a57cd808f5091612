/** Latencies of calls, by how the calls ended. */
import { milliseconds } from '../../contract/units.js';
import type { Counts } from './measured.ts';
import type { Latency } from './sparse-histogram.ts';
import { SparseHistogram } from './sparse-histogram.ts';

/** As xk6-mcp/names.json has them. */
export const OUTCOMES = ['ok', 'rejected', 'failed', 'unanswered'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type LatencyFigure = Exclude<keyof Latency, 'at_least'>;

/** The figures of a latency that are percentiles, as shares. */
const SHARES = { min: 0, p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999, max: 1 } as const;

const FIGURES = Object.keys(SHARES) as LatencyFigure[];

export class Latencies {
  readonly #byOutcome = new Map<Outcome, SparseHistogram>(
    OUTCOMES.map((outcome) => [outcome, new SparseHistogram()]),
  );
  /** Of all calls. */
  readonly all = new SparseHistogram();

  add({ durations = {}, duration }: Pick<Counts, 'durations' | 'duration'>) {
    for (const outcome of OUTCOMES) this.#add(outcome, durations[outcome]);
    // Up to measured/1 there were those of answered calls alone.
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

  /** Calls that were answered, well or not. */
  get answered(): number {
    return this.all.count - this.of('unanswered').count;
  }

  /** @param limit milliseconds @returns calls that were not answered within it; no limit holds for one without an answer */
  countOver(limit: number): number {
    const unanswered = this.of('unanswered');
    return this.all.countOver(limit) - unanswered.countOver(limit) + unanswered.count;
  }

  /** Of the calls that ended so. @returns null: there was none */
  latencyOf(outcome: Outcome): Latency | null {
    const { latency } = this.of(outcome);
    return latency && outcome === 'unanswered' ? { ...latency, at_least: ['avg', ...FIGURES] } : latency;
  }

  /** Of all calls. A figure that fewer calls reached with an answer is a lower bound. @returns null: there was no call */
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

/** @returns whether too few calls were answered to say more than that it was so much */
export const isLowerBound = (latency: Latency | null | undefined, figure: LatencyFigure): boolean =>
  latency?.at_least?.includes(figure) ?? false;

/** @param text a figure @returns as it is shown: `> 10,000 ms` */
export const boundText = (text: string, isBound: boolean | undefined): string =>
  isBound ? `> ${text}` : text;

/** @returns for example `85 ms`, or `> 10,000 ms` where not enough calls were answered to say more */
export const latencyText = (
  latency: Latency | null | undefined,
  figure: LatencyFigure,
  format: (ms: number | undefined) => string = milliseconds,
): string => boundText(format(latency?.[figure]), isLowerBound(latency, figure));
