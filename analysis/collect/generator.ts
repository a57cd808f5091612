/** How the load generator's own process fared, from what the output lab says of it each second. */
import { round } from '../round.ts';
import type { Within } from './seconds.ts';
import type { SparseHistogram } from './sparse-histogram.ts';

/** How often its timer is due, milliseconds (timerEvery in xk6-mcp/lab/self.go). */
const TIMER_MS = 50;
const DIGITS = 6;

/** By signal; absent: not known. */
export interface GeneratorSignals {
  /** How long what arrives waits until k6 takes it up, milliseconds. */
  generator_delay?: number;
  /** Share of the CPU that k6 may use. */
  generator_allowed?: number;
}

export const GENERATOR_UNITS: Record<keyof GeneratorSignals, string> = {
  generator_delay: 'milliseconds',
  generator_allowed: 'ratio',
};

/** @param cores that k6 may use; null: not known */
export function generatorIn(sums: Within, cores: number | null): GeneratorSignals {
  const delay = delayOf(sums.timerLateness);
  return {
    ...(delay !== null && { generator_delay: round(delay, DIGITS) }),
    ...(cores &&
      sums.seconds > 0 && { generator_allowed: round(sums.cpuS / (cores * sums.seconds), DIGITS) }),
  };
}

/**
 * A timer that comes late by more than its period left out ticks, each of which waited less than the one before: what arrives at any moment
 * of a stall waits for the rest of it.
 *
 * @returns the mean over all ticks, milliseconds; null: there was none
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
