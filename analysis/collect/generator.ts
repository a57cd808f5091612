/** Metrics of the load generator's own process, which the output lab writes each second. */
import { round } from '../round.ts';
import type { Within } from './seconds.ts';
import type { SparseHistogram } from './sparse-histogram.ts';

/** Period of the timer, milliseconds (timerEvery in xk6-mcp/lab/self.go). */
const TIMER_MS = 50;
const DIGITS = 6;

/** By signal; unknown signals are absent. */
export interface GeneratorSignals {
  /** How long an answer waits until k6 processes it, milliseconds. */
  generator_delay?: number;
  /** Share of the CPU that k6 may use. */
  generator_allowed?: number;
}

export const GENERATOR_UNITS: Record<keyof GeneratorSignals, string> = {
  generator_delay: 'milliseconds',
  generator_allowed: 'ratio',
};

/** @param cores number of cores that k6 may use; null if unknown */
export function generatorIn(sums: Within, cores: number | null): GeneratorSignals {
  const delay = delayOf(sums.timerLateness);
  return {
    ...(delay !== null && { generator_delay: round(delay, DIGITS) }),
    ...(cores &&
      sums.seconds > 0 && { generator_allowed: round(sums.cpuS / (cores * sums.seconds), DIGITS) }),
  };
}

/**
 * Computes the mean delay of events that arrive at random times. If a timer is late by more than its period,
 * it skipped ticks, each of which would have waited one period less than the one before. An event that
 * arrives during a stall waits for the rest of it.
 *
 * @returns the mean over all ticks, including the skipped ones, in milliseconds; null without ticks
 */
export function delayOf(lateness: SparseHistogram): number | null {
  let [sum, count] = [0, 0];
  for (const ms of lateness.values) {
    const leftOut = Math.floor(ms / TIMER_MS);
    sum += (leftOut + 1) * ms - (TIMER_MS * leftOut * (leftOut + 1)) / 2;
    count += leftOut + 1;
  }
  return count === 0 ? null : sum / count;
}
