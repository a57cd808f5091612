/**
 * Reads what the output lab wrote every second (seconds.jsonl), and sums it up over windows of time. The file
 * is read once, line by line: a day of load is 100 MB.
 */
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Latencies } from './latencies.ts';
import type { Counts } from './measured.ts';
import { SparseHistogram } from './sparse-histogram.ts';

export const FILE = 'seconds.jsonl';

export interface Span {
  /** Unix seconds; a second belongs to the span that contains its middle. */
  fromS: number;
  toS: number;
  /** Only these phases. */
  phases?: readonly string[];
}

export interface Group {
  phase: string;
  operation: string;
}

/**
 * A line. A call that is answered after its second was written adds another line with the same second; lines
 * add up.
 */
export interface Second {
  at: number;
  /** This and the following members are only in the first line of a second. */
  vus?: number;
  /** Lateness of a timer in k6, milliseconds, for SparseHistogram. */
  timerLateness?: string;
  /** CPU time of k6. */
  cpuMicroseconds?: number;
  groups?: Record<string, Counts>;
}

/** The sums of a span. */
export class Within {
  requests = 0;
  /** Requests that count for the failure rate. */
  attempts = 0;
  failed = 0;
  rejected = 0;
  /** Calls by the second of their answer, successful or not. */
  answered = 0;
  iterations = 0;
  /** Iterations that were completed after the end of their phase. */
  late = 0;
  dropped = 0;
  /** In the last second; null without seconds. */
  vus: number | null = null;
  /** Number of seconds with a line; k6 writes none while it is stalled. */
  seconds = 0;
  /** CPU time of k6, seconds. */
  cpuS = 0;
  /** Lateness of a timer in k6, milliseconds. */
  readonly timerLateness = new SparseHistogram();
  readonly failures = new Map<string, number>();
  readonly latencies = new Latencies();

  /** null without an attempt. */
  get failureRate(): number | null {
    return this.attempts > 0 ? this.failed / this.attempts : null;
  }

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
      this.attempts += (counts.requests ?? 0) - (counts.protocol ?? 0);
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

/** @returns the parsed line; null if k6 was ended while writing it */
export function parsed(line: string): Second | (Group & { group: number }) | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** The line of a second, with the groups that were known by then, by number. */
export interface Line {
  second: Second;
  groups: Map<string, Group>;
}

/**
 * @param folder folder of a k6 run; the file may be missing
 * @returns its lines in the order in which they were written
 */
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

/** @param folder folder of a k6 run @returns all its lines */
export async function readLines(folder: string): Promise<Line[]> {
  const lines = [];
  for await (const line of linesOf(folder)) lines.push(line);
  return lines;
}

/** @returns the sums of each span, in order */
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
