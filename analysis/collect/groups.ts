/** Selects the output lab's groups by phase, operation and class, and sums them up. */
import { round } from '../round.ts';
import { Latencies } from './latencies.ts';
import { type Counts, type Measured, PARTS, type Part, type Share } from './measured.ts';
import { SparseHistogram } from './sparse-histogram.ts';

export type Group = Measured['groups'][number];

/** {} = the whole run. */
export interface Scope {
  phase?: string;
  operation?: string;
  class?: string;
}

/** How calls got their connections. */
export interface Opening {
  /** Sum of each part of the latencies, milliseconds. */
  parts: Record<Part, number>;
  /** For each call, the time from its start until it had a connection. */
  untilConnected: SparseHistogram;
}

/** Names of the group's members that are numbers. */
type Count = {
  [name in keyof Counts]-?: Counts[name] extends number | undefined ? name : never;
}[keyof Counts];

export const inScope = (groups: readonly Group[], { phase, operation, class: kind }: Scope): Group[] =>
  groups.filter(
    (group) =>
      (phase === undefined || group.phase === phase) &&
      (operation === undefined || group.operation === operation) &&
      (kind === undefined || group.class === kind),
  );

export const total = (groups: readonly Group[], count: Count): number =>
  groups.reduce((sum, group) => sum + (group[count] ?? 0), 0);

/** @returns the number of requests that count for the failure rate */
export const attemptsOf = (groups: readonly Group[]): number =>
  total(groups, 'requests') - total(groups, 'protocol');

/** @returns failed / attempts, rounded; null without an attempt */
export function failureRateOf(groups: readonly Group[]): number | null {
  const attempts = attemptsOf(groups);
  return attempts > 0 ? round(total(groups, 'failed') / attempts, 6) : null;
}

export function latenciesOf(groups: readonly Group[]): Latencies {
  const all = new Latencies();
  for (const group of groups) all.add(group);
  return all;
}

export function openingOf(groups: readonly Group[]): Opening {
  const sumOf = (part: Part) => groups.reduce((sum, { parts }) => sum + (parts?.[part] ?? 0), 0);
  return {
    parts: Object.fromEntries(PARTS.map((part) => [part, sumOf(part)])) as Record<Part, number>,
    untilConnected: new SparseHistogram(...groups.map(({ untilConnected }) => untilConnected)),
  };
}

/**
 * @returns the Unix time in milliseconds at which the first interrupted call began; null if k6 interrupted
 *   none
 */
export const interruptedSince = (groups: readonly Group[]): number | null =>
  extremes(groups.map(({ interruptedAt }) => interruptedAt))?.[0] ?? null;

/**
 * @param limit milliseconds
 * @returns the number of calls that were not answered within it; null if the limit was not counted for all
 *   calls
 */
export function slowOf(groups: readonly Group[], limit: number): number | null {
  const shares = groups.flatMap(({ slow }) => slow?.[String(limit)] ?? []);
  const looked = shares.reduce((sum, share) => sum + share.total, 0);
  return looked === 0 || looked !== latenciesOf(groups).all.count
    ? null
    : shares.reduce((sum, { trues }) => sum + trues, 0);
}

/** @returns the number of failures by kind, in a fixed order, without kinds that did not occur */
export function failuresOf(groups: readonly Group[]): Record<string, number> {
  const kinds = new Map<string, number>();
  for (const { failures = {} } of groups)
    for (const [kind, count] of Object.entries(failures))
      if (count > 0) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  return Object.fromEntries([...kinds].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @returns Unix times in milliseconds of the first and the last failure of a kind; null without one */
export const failedAt = (groups: readonly Group[], kind: string): [first: number, last: number] | null =>
  extremes(groups.map(({ failedAt: times }) => times?.[kind]));

/**
 * @param name name of a Counter of the script or the client that is not a member of the group
 * @returns 0 without a sample
 */
export const counterOf = (groups: readonly Group[], name: string): number =>
  groups.reduce((sum, { metrics }) => sum + (metrics?.[name]?.sum ?? 0), 0);

/** @param name name of a Trend */
export const trendOf = (groups: readonly Group[], name: string): SparseHistogram =>
  new SparseHistogram(...groups.map(({ metrics }) => metrics?.[name]?.values));

/** @param name name of a Rate @returns null without a sample */
export function shareOf(groups: readonly Group[], name: string): Share | null {
  const shares = groups.flatMap(({ metrics }) => metrics?.[name]?.share ?? []);
  if (shares.length === 0) return null;
  const sumOf = (part: keyof Share) => shares.reduce((sum, share) => sum + share[part], 0);
  return { trues: sumOf('trues'), total: sumOf('total') };
}

/** @param name name of a Gauge @returns its minimum and maximum; null without a sample */
export const gaugeOf = (groups: readonly Group[], name: string): [least: number, most: number] | null =>
  extremes(groups.map(({ metrics }) => metrics?.[name]?.range));

function extremes(ranges: (readonly [number, number] | undefined)[]): [number, number] | null {
  const known = ranges.filter((range) => range !== undefined);
  if (known.length === 0) return null;
  return [Math.min(...known.map(([least]) => least)), Math.max(...known.map(([, most]) => most))];
}
