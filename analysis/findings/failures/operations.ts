/** Whose the failures are. */

import { FAILURES } from '../../limits.ts';
import { fisherTail } from '../../statistics/fisher.ts';
import { type Stratum, type Sum, sumOf, sumsBy, where } from './cells.ts';

export interface Own {
  operations: readonly string[];
  stratum: Stratum;
  others: {
    operations: number;
    requests: number;
    /** Of any kind. */
    failed: number;
    /** Of those that count. */
    likewise: number;
  };
}

const total = (sums: ReadonlyMap<string, Sum>, names: Iterable<string>): Sum => {
  const sum = { failed: 0, well: 0 };
  for (const name of names) {
    sum.failed += sums.get(name)?.failed ?? 0;
    sum.well += sums.get(name)?.well ?? 0;
  }
  return sum;
};

/** @returns the operations that have all failures, but for a few */
export function failingOf(stratum: Stratum): string[] {
  const sums = sumsBy(stratum, ({ operation }) => operation);
  const all = total(sums, sums.keys()).failed;
  let covered = 0;
  const operations: string[] = [];
  for (const [operation, { failed }] of [...sums].toSorted(([, a], [, b]) => b.failed - a.failed)) {
    if (covered >= (1 - FAILURES.maxElsewhere) * all) break;
    covered += failed;
    operations.push(operation);
  }
  return operations;
}

/**
 * @param planned what the test calls: handshakes that go well say nothing of other operations
 * @param only one of several that fail, by itself
 * @returns the operations that all failures are of; null: each has its share of them, as far as can be told
 */
export function ownOf(stratum: Stratum, planned: readonly string[], only?: string): Own | null {
  const failing = failingOf(stratum);
  const operations = only === undefined ? failing : [only];
  const others = planned.filter((name) => !operations.includes(name));
  const sums = sumsBy(stratum, ({ operation }) => operation);
  const [own, rest] = [total(sums, operations), total(sums, others)];
  // What fails by itself is told from what does not fail.
  const well =
    only === undefined
      ? rest
      : total(
          sums,
          others.filter((name) => !failing.includes(name)),
        );
  const [size, compared] = [own.failed + own.well, well.failed + well.well];
  const chance = (planned.length + 1) * fisherTail(own.failed, size, well.failed, compared);
  if (compared < FAILURES.minOthers * (size + compared) || chance > FAILURES.maxChance) return null;
  const any = sumOf(where({ ...stratum, kind: null }, ({ operation }) => others.includes(operation)));
  return {
    operations,
    stratum: where(stratum, ({ operation }) => operations.includes(operation)),
    others: {
      operations: others.length,
      requests: any.failed + any.well,
      failed: any.failed,
      likewise: rest.failed,
    },
  };
}
