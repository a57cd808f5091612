/**
 * Histogram of durations in the output lab's format. Each power of two is split into 512 buckets, and
 * histograms can be added without loss.
 */

/** In milliseconds. */
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
  /** Figures that are lower bounds, because an unanswered call counts with the time that it waited. */
  at_least?: ('min' | 'avg' | 'p50' | 'p75' | 'p90' | 'p95' | 'p99' | 'p999' | 'max')[];
}

const BUCKETS = 512;
/** Maximum relative error of a percentile: half a bucket. */
export const PERCENTILE_ERROR = 1 / (2 * BUCKETS);
/** The exponent of bucket 0 (IEEE 754, binary64). */
const BIAS = 1023;
const RADIX = 36;

/** @returns the lower bound of the bucket */
const start = (bucket: number) =>
  bucket === 0 ? 0 : 2 ** (Math.floor(bucket / BUCKETS) - BIAS) * (1 + (bucket % BUCKETS) / BUCKETS);

const middle = (bucket: number) => (bucket === 0 ? 0 : (start(bucket) + start(bucket + 1)) / 2);

export class SparseHistogram {
  #counts = new Map<number, number>();
  #sorted: [bucket: number, count: number][] | undefined;

  /** @param texts in the format of contract/measured.schema.json */
  constructor(...texts: (string | undefined)[]) {
    for (const text of texts) this.add(text ?? '');
  }

  /** @param text in the format of contract/measured.schema.json */
  add(text: string) {
    this.#sorted = undefined;
    let bucket = 0;
    for (const part of text.split(' ').filter(Boolean)) {
      const [distance = '', count = '1'] = part.split('*');
      bucket += Number.parseInt(distance, RADIX);
      this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + Number.parseInt(count, RADIX));
    }
  }

  /** The histogram in the format in which it was read. */
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

  /** In ascending order, accurate to 0.1 %. */
  get values(): number[] {
    return this.#inOrder.flatMap(([bucket, count]) => Array.from({ length: count }, () => middle(bucket)));
  }

  /** In ascending order, accurate to 0.1 %. */
  get buckets(): { value: number; count: number }[] {
    return this.#inOrder.map(([bucket, count]) => ({ value: middle(bucket), count }));
  }

  /** @returns the number of values above the limit, each taken as the middle of its bucket */
  countOver(limit: number): number {
    return [...this.#counts].reduce(
      (sum, [bucket, count]) => (middle(bucket) > limit ? sum + count : sum),
      0,
    );
  }

  /** Accurate to 0.1 %; null without values. */
  get mean(): number | null {
    const { count } = this;
    const sum = [...this.#counts].reduce((total, [bucket, times]) => total + middle(bucket) * times, 0);
    return count === 0 ? null : sum / count;
  }

  /**
   * Interpolates between two values as k6 does (metrics/sink.go, TrendSink.P).
   *
   * @param share 0 to 1
   * @returns accurate to 0.1 %; null without values
   */
  percentile(share: number): number | null {
    const { count } = this;
    if (count === 0) return null;
    const rank = share * (count - 1);
    const [below, above] = [this.#at(Math.floor(rank)), this.#at(Math.ceil(rank))];
    return below + (above - below) * (rank - Math.floor(rank));
  }

  /** The latency for a run document; null without values. */
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
