/** Finds the operations that the failures belong to. */

import { FAILURES } from '../../limits.ts';
import { fisherTail } from '../../statistics/fisher.ts';
import { type Stratum, type Sum, sumOf, sumsBy, where } from './cells.ts';

export interface Own {
  operations: readonly string[];
  stratum: Stratum;
  others: {
    operations: number;
    requests: number;
    /** Failures of any kind. */
    failed: number;
    /** Failures of the kind that counts. */
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

/** @returns the operations with (almost) all of the failures */
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
 * @param planned operations that the test calls; successful handshakes say nothing about other operations
 * @param only if set, one of several failing operations, judged on its own
 * @returns the operations that the failures belong to; null if they are spread over all operations, or if
 *   there are too few
 */
export function ownOf(stratum: Stratum, planned: readonly string[], only?: string): Own | null {
  const failing = failingOf(stratum);
  const operations = only === undefined ? failing : [only];
  const others = planned.filter((name) => !operations.includes(name));
  const sums = sumsBy(stratum, ({ operation }) => operation);
  const [own, rest] = [total(sums, operations), total(sums, others)];
  // A single operation is compared with the operations that do not fail.
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
