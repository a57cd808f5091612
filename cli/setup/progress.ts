/** The line that says what set-up does, and about how long it still takes. */
import type { Part } from './part.ts';

const MINUTE_S = 60;
const STEP_S = 10;
const OVERRUN = 0.25;

/** What is known of a part: it waits, it was started at that time (ms), or it is there. */
export type State = Map<Part, { startedMs: number; isDone: boolean }>;

/**
 * @returns such as `set-up, once: k6, redis-server (1 of 4 done), about 2 min left`: by the parts' measured times; lanes go on at once,
 *   and the longest one counts
 */
export function progressLine(parts: readonly Part[], state: State, nowMs: number): string {
  const running = parts.filter((part) => state.get(part)?.isDone === false);
  const done = parts.filter((part) => state.get(part)?.isDone).length;
  const left = new Map<string, number>();
  for (const part of parts) {
    const one = state.get(part);
    if (one?.isDone) continue;
    const passedS = one ? (nowMs - one.startedMs) / 1000 : 0;
    // A machine that needs longer than the measured one goes on doing so.
    const leftS = Math.max(part.seconds - passedS, passedS * OVERRUN);
    left.set(part.lane, (left.get(part.lane) ?? 0) + leftS);
  }
  const titles = running.map(({ title }) => title).join(', ');
  return `set-up, once: ${titles} (${done} of ${parts.length} done), about ${duration(Math.max(...left.values(), 0))} left`;
}

/** @param seconds @returns such as 40 s, 3 min: as exact as an estimate is */
function duration(seconds: number): string {
  if (seconds < 1.5 * MINUTE_S) return `${Math.ceil(seconds / STEP_S) * STEP_S} s`;
  return `${Math.round(seconds / MINUTE_S)} min`;
}
