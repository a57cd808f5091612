/**
 * Where the time of a request goes. Its mean is taken apart into what each place behind the server took of it, what the server
 * took itself, what k6 took to take the answer up, and the rest, which was on the way; in which part most of what was added is, says whose doing it was. Means add up,
 * percentiles do not. What a server measures of others holds its own lateness, too: on a thread that is late every answer seems
 * to come late.
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
/** Less than this on top of a mean is noise, whatever it is made of; seconds. */
const LEAST_ADDED = 0.001;

export interface Parts {
  /** To the mean request. */
  addedS: number;
  /** 0 to 1 of what was added; those that can be told. */
  shares: Partial<Record<Part, number>>;
}

/** @returns null: there is nothing to compare with, or nothing was added */
export function partsOf(reader: Reader, { normal, broken }: Breakage): Parts | null {
  const added = (name: string) => {
    const series = reader.series(name);
    const [from, to] = [levelIn(series, normal), levelIn(series, broken)];
    return from === null || to === null ? null : to - from;
  };
  const addedS = (added('client.mean') ?? 0) / 1000;
  if (addedS < LEAST_ADDED) return null;
  const shares: Parts['shares'] = {};
  let elsewhere = 0;
  for (const [part, series] of Object.entries(SERIES)) {
    const seconds = added(series);
    if (seconds === null) continue;
    const share = Math.min(1, Math.max(0, seconds / addedS));
    shares[part as Part] = share;
    elsewhere += share;
  }
  // What is left is the server's own, where all else is known.
  if (Object.keys(shares).length === Object.keys(SERIES).length) shares.server = Math.max(0, 1 - elsewhere);
  return { addedS, shares };
}

/** @returns the share of what was added that is in them; null where that can't be told */
export function shareIn(parts: Parts | null, wanted: Part[] | undefined): number | null {
  if (!parts || !wanted) return null;
  const known = wanted.flatMap((part) => parts.shares[part] ?? []);
  const sum = known.reduce((total, share) => total + share, 0);
  // It may all be in one that is not known.
  return known.length < wanted.length && sum < BOTTLENECK.minPart ? null : Math.min(1, sum);
}
