import { STREAMS } from '../limits.ts';

/**
 * @param withoutMs p95 without the suspected cause, milliseconds
 * @param withMs p95 with it
 * @returns whether the difference is larger than the client's own time
 */
export const isSlower = (withoutMs: number, withMs: number): boolean =>
  withMs >= STREAMS.slowFactor * withoutMs && withMs - withoutMs >= STREAMS.minSlowMs;
