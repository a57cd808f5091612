/**
 * Splits the mean duration of a request into the time in each place behind the server, in the server itself,
 * in k6 (until it processes the answer), and on the network. The part with most of the added time shows what
 * slowed requests down. Uses means, because means add up and percentiles do not. Times that a server measures
 * for its dependencies include its own delays: on a thread that runs late, every answer seems to arrive late.
 */

import { BOTTLENECK } from '../limits.ts';
import type { Breakage } from './breakage.ts';
import type { Reader } from './derived.ts';
import { levelIn } from './windows.ts';

export type Part = 'generator' | 'way' | 'pool' | 'database' | 'cache' | 'upstream' | 'server';

const SERIES: Record<Exclude<Part, 'server'>, string> = {
  generator: 'time_in_generator',
  way: 'time_on_the_way',
  pool: 'time_in_pool',
  database: 'time_in_database',
  cache: 'time_in_cache',
  upstream: 'time_in_upstream',
};
/** A smaller increase of the mean is noise; seconds. */
const MIN_ADDED_S = 0.001;

export interface Parts {
  /** Increase of the mean duration of a request. */
  addedS: number;
  /** Share of the increase in each part, 0 to 1; only the parts that are known. */
  shares: Partial<Record<Part, number>>;
}

/** @returns null if there is no baseline, or no increase */
export function partsOf(reader: Reader, { normal, broken }: Breakage): Parts | null {
  const added = (name: string) => {
    const series = reader.series(name);
    const [from, to] = [levelIn(series, normal), levelIn(series, broken)];
    return from === null || to === null ? null : to - from;
  };
  const addedS = (added('client.mean') ?? 0) / 1000;
  if (addedS < MIN_ADDED_S) return null;
  const shares: Parts['shares'] = {};
  let elsewhere = 0;
  for (const [part, series] of Object.entries(SERIES)) {
    const seconds = added(series);
    if (seconds === null) continue;
    const share = Math.min(1, Math.max(0, seconds / addedS));
    shares[part as Part] = share;
    elsewhere += share;
  }
  // The rest is the server's own time, if all other parts are known.
  if (Object.keys(shares).length === Object.keys(SERIES).length) shares.server = Math.max(0, 1 - elsewhere);
  return { addedS, shares };
}

/** @returns the wanted parts' share of the increase; null if unknown */
export function shareIn(parts: Parts | null, wanted: Part[] | undefined): number | null {
  if (!parts || !wanted) return null;
  const known = wanted.flatMap((part) => parts.shares[part] ?? []);
  const sum = known.reduce((total, share) => total + share, 0);
  // All of the increase may be in a part that is unknown.
  return known.length < wanted.length && sum < BOTTLENECK.minPart ? null : Math.min(1, sum);
}
