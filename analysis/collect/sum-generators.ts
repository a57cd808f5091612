/**
 * Sums up what several k6 processes measured during one test (deploy/kubernetes), and writes the same files
 * as a single process. The analysis does not need to know the number of generators.
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sumOfThreshold } from '../judge/k6-threshold.ts';
import { FAIL } from '../judge/verdict.ts';
import { writeAtomic } from '../write-atomic.ts';
import { abortOf, type Clients, type Counts, type Measured, type Threshold } from './measured.ts';
import { FILE, type Group, linesOf } from './seconds.ts';
import { SparseHistogram } from './sparse-histogram.ts';

/** Same as in contract/measured.schema.json. */
const MAX_CLOCK_JUMPS = 20;

/** Numbers are added, strings are histograms, lists are a minimum and a maximum. */
type Amount = number | string | readonly number[] | Amounts;
interface Amounts {
  [name: string]: Amount;
}
/** Documents are validated where they are read. */
const amountsOf = (counts: object) => counts as Amounts;

function sum(one: Amount, other: Amount): Amount {
  if (typeof one === 'number' && typeof other === 'number') return one + other;
  if (typeof one === 'string' && typeof other === 'string') return new SparseHistogram(one, other).text;
  if (isRange(one) && isRange(other))
    return [Math.min(one[0] ?? 0, other[0] ?? 0), Math.max(one[1] ?? 0, other[1] ?? 0)];
  return sumOfEach(one as Amounts, other as Amounts);
}

const isRange = (amount: Amount): amount is readonly number[] => Array.isArray(amount);

function sumOfEach(...all: Amounts[]): Amounts {
  const sums = new Map<string, Amount>();
  for (const [name, amount] of all.flatMap((one) => Object.entries(one))) {
    const known = sums.get(name);
    sums.set(name, known === undefined ? amount : sum(known, amount));
  }
  return Object.fromEntries(sums);
}

const keyOf = ({ phase, operation, class: kind }: Group & { class?: string }) =>
  JSON.stringify([phase, operation, kind]);

function sumOfGroups(all: Measured['groups']): Measured['groups'] {
  const sums = new Map<string, Measured['groups'][number]>();
  for (const { phase, operation, class: kind, ...counts } of all) {
    const name = { phase, operation, ...(kind !== undefined && { class: kind }) };
    const known = sums.get(keyOf(name));
    const { phase: _, operation: __, class: ___, ...before } = known ?? name;
    sums.set(keyOf(name), { ...name, ...(sumOfEach(amountsOf(before), amountsOf(counts)) as Counts) });
  }
  return [...sums.values()];
}

/** A generator knows only its own calls in flight, so overlaps cannot be added. */
const withoutOverlaps = (groups: Measured['groups'], generators: number): Measured['groups'] =>
  generators === 1 ? groups : groups.map(({ overlaps: _, ...group }) => group);

function sumOfThresholds(generators: Measured[]): Threshold[] {
  const parts = new Map<string, Threshold[]>();
  for (const one of generators.flatMap(({ thresholds }) => thresholds)) {
    const key = JSON.stringify([one.metric, one.threshold]);
    parts.set(key, [...(parts.get(key) ?? []), one]);
  }
  return [...parts.values()].map((all) => sumOfThreshold(all, generators.length));
}

function sumOfClients(generators: Measured[]): Pick<Measured, 'clients'> {
  const known = generators.flatMap(({ clients }) => (clients ? [amountsOf(clients)] : []));
  return known.length === 0 ? {} : { clients: sumOfEach(...known) as unknown as Clients };
}

/**
 * @returns the first end that was not regular; otherwise the end that k6 would have reported for the whole
 *   test
 */
function endOf(generators: Measured[], thresholds: Threshold[]): Measured['end'] {
  const ends = generators.map(({ end }) => end);
  const cutShort = ends.find((end) => abortOf(end)) ?? ends.find(({ reason }) => reason !== 'finished');
  const failed = thresholds.some(({ passed, hasSamples }) => hasSamples && !passed);
  return cutShort ?? { reason: 'finished', exitCode: failed ? FAIL : 0 };
}

/**
 * @param generators results of one test, at least one
 * @returns the result that a single generator would have measured
 */
export function sumOfGenerators(generators: Measured[]): Measured {
  const [first] = generators;
  if (!first) throw new Error('there are no generators to add up');
  const all = <T>(of: (one: Measured) => T) => generators.map(of);
  const added = (of: (one: Measured) => number) => all(of).reduce((total, one) => total + one, 0);
  const thresholds = sumOfThresholds(generators);
  return {
    ...first,
    servers: first.servers ?? [],
    began: Math.min(...all(({ began }) => began)),
    ended: Math.max(...all(({ ended }) => ended)),
    end: endOf(generators, thresholds),
    vus: added(({ vus }) => vus),
    vusMax: added(({ vusMax }) => vusMax),
    warmup: added(({ warmup }) => warmup),
    timerLateness: new SparseHistogram(...all(({ timerLateness }) => timerLateness)).text,
    cpuMicroseconds: added(({ cpuMicroseconds = 0 }) => cpuMicroseconds),
    cores: added(({ cores = 0 }) => cores),
    clockJumps: generators.flatMap(({ clockJumps = [] }) => clockJumps).slice(0, MAX_CLOCK_JUMPS),
    ...sumOfClients(generators),
    groups: withoutOverlaps(sumOfGroups(generators.flatMap(({ groups }) => groups)), generators.length),
    thresholds,
  };
}

/** @param folders each with a seconds.jsonl in order of time @returns the lines of their sum */
async function* sumOfSeconds(folders: string[]): AsyncGenerator<string> {
  const line = (document: unknown) => `${JSON.stringify(document)}\n`;
  const numbers = new Map<string, number>();
  const sources = folders.map((folder) => linesOf(folder));
  const next = await Promise.all(sources.map(async (source) => (await source.next()).value ?? null));
  for (;;) {
    const at = Math.min(...next.map((one) => one?.second.at ?? Number.POSITIVE_INFINITY));
    if (at === Number.POSITIVE_INFINITY) return;
    let total: Amounts = {};
    for (const [index, one] of next.entries()) {
      if (one?.second.at !== at) continue;
      const { at: _, groups = {}, ...ofRun } = one.second;
      const renumbered: Amounts = {};
      for (const [theirs, counts] of Object.entries(groups)) {
        const name = one.groups.get(theirs);
        if (!name) continue;
        const key = keyOf(name);
        const number = numbers.get(key) ?? numbers.size;
        if (!numbers.has(key)) yield line({ group: number, ...name });
        numbers.set(key, number);
        renumbered[number] = amountsOf(counts);
      }
      total = sumOfEach(total, { ...amountsOf(ofRun), groups: renumbered });
      next[index] = (await sources[index]?.next())?.value ?? null;
    }
    yield line({ at, ...total });
  }
}

/**
 * @param generators result and folder of each generator, at least one
 * @param into folder for the sums
 * @returns the content of measured.json
 */
export async function leaveSums(
  generators: { measured: Measured; folder: string }[],
  into: string,
): Promise<Measured> {
  const seconds = sumOfSeconds(generators.map(({ folder }) => folder));
  await pipeline(seconds, createWriteStream(join(into, FILE)));
  const sums = sumOfGenerators(generators.map(({ measured }) => measured));
  writeAtomic(join(into, 'measured.json'), `${JSON.stringify(sums)}\n`);
  return sums;
}
