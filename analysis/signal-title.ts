import { SIGNALS } from '../dashboards/signals.ts';

/** @param name of a signal @param unit of its values @returns what charts and tables call it */
export const titleOf = (name: string, unit: string): string => {
  const words = name.replaceAll('_', ' ');
  return SIGNALS[`${name}:${unit}`]?.title ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
};
