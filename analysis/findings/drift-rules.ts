/** What is looked at for leaks and drift, and when a slope matters. Data alone: `drift.ts` reads it. */

export interface DriftRule {
  kind: 'leak' | 'note';
  subject: string;
  /** Subjects of which this is a consequence, if they leak as well. */
  part_of?: string[];
  /** Of the timeline: `client.p99`, or a signal's name. */
  series: string;
  /** What grows, in a sentence. */
  noun: string;
  /**
   * What a block's figure is: the mean of its lowest quarter, for what comes and goes by itself (garbage, connections that are in use for a
   * moment), or of its middle half.
   */
  of: 'floor' | 'middle';
  /** Up or down. */
  worse: 1 | -1;
  /** How far it can go; null: nobody knows, so that it doubles (or is halved) counts instead. */
  limit: Limit | null;
  /**
   * That it must have moved within what was watched: of its first figure, or in its own unit. Less than that, hours ahead are not to be
   * read from minutes.
   */
  least: { share?: number; growth?: number };
}

/** What another signal says is used of it; or the memory that the machine has free at the end. */
export type Limit = { ratio: string } | { machine: true };

/** Tests that are there to find this: where one was too short to tell, it is said. */
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
    // V8 was seen to let a quarter of what is resident pile up as garbage before it collects: less growth is no leak yet.
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
