/** Whose the failures are. */
import { fisherTail } from '../../statistics/fisher.ts';
import { type Stratum, sumOf, where } from './cells.ts';

/** Failures that others have may be of something else: this share of all at most. */
const MAX_ELSEWHERE = 0.02;
/** Of all requests, what the others have to have: all but a few pings are all. */
const MIN_OTHERS = 0.05;
/** By chance, less than once in so many runs that have as many operations. */
const CHANCE = 1e-4;

export interface Own {
  /** All others are well. */
  operations: string[];
  /** Their requests, and those of the others with what failed of them. */
  stratum: Stratum;
  others: { requests: number; failed: number; operations: number };
}

/** @returns the operations that have all failures, but for a few */
export function failingOf(stratum: Stratum): string[] {
  const byFailures = [...new Set(stratum.cells.map(({ operation }) => operation))]
    .map((operation) => ({ operation, ...sumOf(where(stratum, (cell) => cell.operation === operation)) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count);
  const all = sumOf(stratum).count;
  let covered = 0;
  const operations: string[] = [];
  for (const { operation, count } of byFailures) {
    if (covered >= (1 - MAX_ELSEWHERE) * all) break;
    covered += count;
    operations.push(operation);
  }
  return operations;
}

/**
 * @param planned what the test calls: handshakes that go well say nothing of other operations
 * @returns the operations that all failures are of; null: each has its share of them, as far as can be told
 */
export function ownOf(stratum: Stratum, planned: readonly string[]): Own | null {
  const operations = failingOf(stratum);
  const own = where(stratum, ({ operation }) => operations.includes(operation));
  const others = planned.filter((name) => !operations.includes(name));
  const rest = sumOf(where(stratum, ({ operation }) => others.includes(operation)));
  const { count, requests } = sumOf(own);
  const chance = (planned.length + 1) * fisherTail(count, requests, rest.count, rest.requests);
  if (rest.requests < MIN_OTHERS * (requests + rest.requests) || chance > CHANCE) return null;
  return {
    operations,
    stratum: own,
    others: { requests: rest.requests, failed: rest.count, operations: others.length },
  };
}
