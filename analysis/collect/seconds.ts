/** What the output lab wrote second by second (seconds.jsonl), added up over windows of time. It is read once, line by line: a day of it is 100 MB. */
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Latencies } from './latencies.ts';
import type { Counts } from './measured.ts';
import { SparseHistogram } from './sparse-histogram.ts';

export const FILE = 'seconds.jsonl';

export interface Span {
  /** Unix seconds; a second belongs to the span that its middle is in. */
  fromS: number;
  toS: number;
  /** Of these alone. */
  phases?: readonly string[];
}

export interface Group {
  phase: string;
  operation: string;
}

/** A line. A call that is answered after its second was written adds a further line of that second: lines add up. */
export interface Second {
  at: number;
  /** This and what follows it is not of a further line. */
  vus?: number;
  /** Of a timer of k6's, milliseconds, for SparseHistogram. */
  timerLateness?: string;
  /** What k6 used of processors. */
  cpuMicroseconds?: number;
  groups?: Record<string, Counts>;
}

/** The sums of a span. */
export class Within {
  requests = 0;
  failed = 0;
  rejected = 0;
  /** Calls by the second of their answer, well or not. */
  answered = 0;
  iterations = 0;
  /** Of these, those that were finished after their phase had ended. */
  late = 0;
  dropped = 0;
  /** Of the last second; null: there was none. */
  vus: number | null = null;
  /** Those that were written: one in which k6 stood still is not. */
  seconds = 0;
  /** CPU time of k6, seconds. */
  cpuS = 0;
  /** Of a timer of k6's, milliseconds. */
  readonly timerLateness = new SparseHistogram();
  readonly failures = new Map<string, number>();
  readonly latencies = new Latencies();

  add(
    { vus, timerLateness = '', cpuMicroseconds = 0, groups = {} }: Second,
    groupOf: (number: string) => Group | undefined,
    phases?: readonly string[],
  ) {
    if (vus !== undefined) {
      this.vus = vus;
      this.seconds += 1;
    }
    this.timerLateness.add(timerLateness);
    this.cpuS += cpuMicroseconds / 1e6;
    for (const [number, counts] of Object.entries(groups)) {
      if (phases && !phases.includes(groupOf(number)?.phase ?? '')) continue;
      this.requests += counts.requests ?? 0;
      this.failed += counts.failed ?? 0;
      this.rejected += counts.rejected ?? 0;
      for (const count of Object.values(counts.answered ?? {})) this.answered += count;
      this.iterations += counts.iterations ?? 0;
      this.late += counts.late ?? 0;
      this.dropped += counts.dropped ?? 0;
      for (const [kind, count] of Object.entries(counts.failures ?? {}))
        this.failures.set(kind, (this.failures.get(kind) ?? 0) + count);
      this.latencies.add(counts);
    }
  }
}

/** @returns of a line; null: k6 was ended in the middle of it */
export function parsed(line: string): Second | (Group & { group: number }) | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** A line of a second, with the groups that were known by then, by number. */
export interface Line {
  second: Second;
  groups: Map<string, Group>;
}

/** @param folder of a k6 run, with the file or without @returns its lines in the order in which they were written */
export async function* linesOf(folder: string): AsyncGenerator<Line, undefined> {
  const file = join(folder, FILE);
  if (!existsSync(file)) return;
  const groups = new Map<string, Group>();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const read = parsed(line);
    if (read && 'group' in read) {
      const { group, ...name } = read;
      groups.set(String(group), name);
    } else if (read) yield { second: read, groups };
  }
}

/** @param folder of a k6 run @returns all of them */
export async function readLines(folder: string): Promise<Line[]> {
  const lines = [];
  for await (const line of linesOf(folder)) lines.push(line);
  return lines;
}

/** @returns of each span its sums, in order */
export function sumsWithin(lines: readonly Line[], spans: readonly Span[]): Within[] {
  const found = spans.map(() => new Within());
  const bySecond = new Map<number, number[]>();
  for (const [index, { fromS, toS }] of spans.entries())
    for (let at = Math.ceil(fromS - 0.5); at + 0.5 < toS; at += 1)
      bySecond.set(at, [...(bySecond.get(at) ?? []), index]);
  for (const { second, groups } of lines)
    for (const index of bySecond.get(second.at) ?? [])
      found[index]?.add(second, (number) => groups.get(number), spans[index]?.phases);
  return found;
}
