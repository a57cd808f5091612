/**
 * The rules for leaks and drift as data: which series are checked, and when a slope matters. `drift.ts`
 * evaluates them.
 */

export interface DriftRule {
  kind: 'leak' | 'note';
  subject: string;
  /** Subjects that explain this one if they leak as well. */
  part_of?: string[];
  /** Name of a series of the timeline: `client.p99` or a signal. */
  series: string;
  /** Noun phrase for the growing quantity, used inside a sentence. */
  noun: string;
  /**
   * How a block is summarized. `floor`: mean of the lowest quarter, for values that rise and fall by
   * themselves (garbage, connections in use). `middle`: mean of the middle half.
   */
  of: 'floor' | 'middle';
  /** Direction that is a problem: 1 = up, -1 = down. */
  worse: 1 | -1;
  /** Maximum of the series; null if unknown: then the series counts when it doubles (or halves). */
  limit: Limit | null;
  /**
   * Minimum change within the observed time, as a share of the first value or in the series' unit. A smaller
   * change in minutes does not predict hours.
   */
  least: { share?: number; growth?: number };
}

/**
 * Maximum of a series: inferred from the signal of its utilization, or from the machine's free memory at the
 * end.
 */
export type Limit = { ratio: string } | { machine: true };

/** Tests for leaks: if they are too short for a result, a note says so. */
export const MEANT_TO_LAST = ['soak'];

export const RULES: DriftRule[] = [
  {
    kind: 'leak',
    subject: 'memory',
    series: 'memory',
    noun: 'memory',
    of: 'floor',
    worse: 1,
    limit: { machine: true },
    // V8 lets garbage pile up to about a quarter of the resident memory before it collects. Less growth is
    // not a leak.
    least: { share: 0.3 },
  },
  {
    kind: 'leak',
    subject: 'pool connections',
    series: 'pool_connections_in_use',
    noun: 'the number of pool connections in use',
    of: 'floor',
    worse: 1,
    limit: { ratio: 'pool_utilization' },
    least: { growth: 2 },
  },
  {
    kind: 'leak',
    subject: 'database connections',
    part_of: ['pool connections'],
    series: 'db_clients',
    noun: 'the number of connections to the database',
    of: 'middle',
    worse: 1,
    limit: { ratio: 'db_connections' },
    least: { growth: 2 },
  },
  {
    kind: 'leak',
    subject: 'sessions',
    series: 'sessions',
    noun: 'the number of open sessions',
    of: 'middle',
    worse: 1,
    limit: null,
    least: { share: 0.05, growth: 2 },
  },
  {
    kind: 'leak',
    subject: 'file descriptors',
    part_of: ['pool connections', 'database connections', 'sessions'],
    series: 'open_files_count',
    noun: 'the number of open files',
    of: 'middle',
    worse: 1,
    limit: { ratio: 'open_files' },
    least: { growth: 5 },
  },
  {
    kind: 'note',
    subject: 'latency',
    series: 'client.p99',
    noun: 'p99',
    of: 'middle',
    worse: 1,
    limit: null,
    least: { share: 0.1 },
  },
  {
    kind: 'note',
    subject: 'throughput',
    series: 'client.requests',
    noun: 'throughput',
    of: 'middle',
    worse: -1,
    limit: null,
    least: { share: 0.02 },
  },
];
