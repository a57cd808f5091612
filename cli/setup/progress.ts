/** The progress line of set-up, with an estimate of the remaining time. */
import type { Part } from './part.ts';

const MINUTE_S = 60;
const STEP_S = 10;
const OVERRUN = 0.25;

/** The state of a part: absent = waiting, started (ms), or done. */
export type State = Map<Part, { startedMs: number; isDone: boolean }>;

/**
 * @returns for example `set-up, once: k6, redis-server (1 of 4 done), about 2 min left`. The estimate is that
 *   of the longest lane, from the parts' measured times
 */
export function progressLine(parts: readonly Part[], state: State, nowMs: number): string {
  const running = parts.filter((part) => state.get(part)?.isDone === false);
  const done = parts.filter((part) => state.get(part)?.isDone).length;
  const left = new Map<string, number>();
  for (const part of parts) {
    const one = state.get(part);
    if (one?.isDone) continue;
    const passedS = one ? (nowMs - one.startedMs) / 1000 : 0;
    // A machine slower than the measured one remains slower.
    const leftS = Math.max(part.seconds - passedS, passedS * OVERRUN);
    left.set(part.lane, (left.get(part.lane) ?? 0) + leftS);
  }
  const titles = running.map(({ title }) => title).join(', ');
  return `set-up, once: ${titles} (${done} of ${parts.length} done), about ${duration(Math.max(...left.values(), 0))} left`;
}

/** @param seconds @returns for example 40 s or 3 min, with the precision of an estimate */
function duration(seconds: number): string {
  if (seconds < 1.5 * MINUTE_S) return `${Math.ceil(seconds / STEP_S) * STEP_S} s`;
  return `${Math.round(seconds / MINUTE_S)} min`;
}
