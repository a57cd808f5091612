import { STREAMS } from '../limits.ts';

/** @returns whether calls take longer by more than the client's own time: p95 with and without what may slow them, milliseconds */
export const isSlower = (withoutMs: number, withMs: number): boolean =>
  withMs >= STREAMS.slowFactor * withoutMs && withMs - withoutMs >= STREAMS.minSlowMs;
