/** Equidistant points in time that all series of a timeline share. */
import type { Timeline } from './timeline.ts';

export type Grid = Pick<Timeline, 'start_s' | 'step_s' | 'count' | 'window_s'>;

/** @returns Unix time of each point */
export const timesOf = ({ start_s, step_s, count }: Omit<Grid, 'window_s'>) =>
  Array.from({ length: count }, (_, index) => start_s + index * step_s);
