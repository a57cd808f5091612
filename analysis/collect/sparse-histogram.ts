/** Durations as the output lab counts them: buckets a 512th of a power of two wide, of which any number can be added without loss. */

/** Milliseconds. */
export interface Latency {
  min: number;
  avg: number;
  p50: number;
  p75: number;
  p90: number;
  p95: number;
  p99: number;
  p999: number;
  max: number;
  /** Lower bounds: calls without an answer count with the time that they waited. */
  at_least?: ('min' | 'avg' | 'p50' | 'p75' | 'p90' | 'p95' | 'p99' | 'p999' | 'max')[];
}

const BUCKETS = 512;
/** Half a bucket: how far off a percentile may be, as a share of it. */
export const PERCENTILE_ERROR = 1 / (2 * BUCKETS);
/** The exponent of the bucket 0 (IEEE 754, binary64). */
const BIAS = 1023;
const RADIX = 36;

/** Where a bucket begins. */
const start = (bucket: number) =>
  bucket === 0 ? 0 : 2 ** (Math.floor(bucket / BUCKETS) - BIAS) * (1 + (bucket % BUCKETS) / BUCKETS);

const middle = (bucket: number) => (bucket === 0 ? 0 : (start(bucket) + start(bucket + 1)) / 2);

export class SparseHistogram {
  #counts = new Map<number, number>();
  #sorted: [bucket: number, count: number][] | undefined;

  /** @param texts as contract/measured.schema.json has them */
  constructor(...texts: (string | undefined)[]) {
    for (const text of texts) this.add(text ?? '');
  }

  /** @param text as contract/measured.schema.json has it */
  add(text: string) {
    this.#sorted = undefined;
    let bucket = 0;
    for (const part of text.split(' ').filter(Boolean)) {
      const [distance = '', count = '1'] = part.split('*');
      bucket += Number.parseInt(distance, RADIX);
      this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + Number.parseInt(count, RADIX));
    }
  }

  /** As it was read; all of them in one. */
  get text(): string {
    let before = 0;
    const parts = this.#inOrder.map(([bucket, count]) => {
      const distance = (bucket - before).toString(RADIX);
      before = bucket;
      return count === 1 ? distance : `${distance}*${count.toString(RADIX)}`;
    });
    return parts.join(' ');
  }

  get count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Each off by 0.1 % at most, in order. */
  get values(): number[] {
    return this.#inOrder.flatMap(([bucket, count]) => Array.from({ length: count }, () => middle(bucket)));
  }

  /** In order, each off by 0.1 % at most. */
  get buckets(): { value: number; count: number }[] {
    return this.#inOrder.map(([bucket, count]) => ({ value: middle(bucket), count }));
  }

  /** @returns how many are over a limit, each taken as the middle of its bucket */
  countOver(limit: number): number {
    return [...this.#counts].reduce(
      (sum, [bucket, count]) => (middle(bucket) > limit ? sum + count : sum),
      0,
    );
  }

  /** Off by 0.1 % at most; null: there are no values. */
  get mean(): number | null {
    const { count } = this;
    const sum = [...this.#counts].reduce((total, [bucket, times]) => total + middle(bucket) * times, 0);
    return count === 0 ? null : sum / count;
  }

  /**
   * As k6 has it: between two values by how near it is to each. (k6, metrics/sink.go, TrendSink.P)
   *
   * @param share 0 to 1
   * @returns off by 0.1 % at most; null: there are no values
   */
  percentile(share: number): number | null {
    const { count } = this;
    if (count === 0) return null;
    const rank = share * (count - 1);
    const [below, above] = [this.#at(Math.floor(rank)), this.#at(Math.ceil(rank))];
    return below + (above - below) * (rank - Math.floor(rank));
  }

  /** What a run document has of durations; null: there are no values. */
  get latency(): Latency | null {
    const { mean } = this;
    if (mean === null) return null;
    const at = (share: number) => this.percentile(share) ?? Number.NaN;
    return {
      min: at(0),
      avg: mean,
      p50: at(0.5),
      p75: at(0.75),
      p90: at(0.9),
      p95: at(0.95),
      p99: at(0.99),
      p999: at(0.999),
      max: at(1),
    };
  }

  get #inOrder() {
    this.#sorted ??= [...this.#counts].sort(([a], [b]) => a - b);
    return this.#sorted;
  }

  /** @param rank from 0 */
  #at(rank: number): number {
    let before = 0;
    for (const [bucket, count] of this.#inOrder) {
      before += count;
      if (before > rank) return middle(bucket);
    }
    return Number.NaN;
  }
}
