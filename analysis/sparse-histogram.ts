/** Durations as the output lab counts them: buckets a 512th of a power of two wide, of which any number can be added without loss. */

const BUCKETS = 512;
/** The exponent of the bucket 0 (IEEE 754, binary64). */
const BIAS = 1023;
const RADIX = 36;

/** Where a bucket begins. */
const start = (bucket: number) =>
  bucket === 0 ? 0 : 2 ** (Math.floor(bucket / BUCKETS) - BIAS) * (1 + (bucket % BUCKETS) / BUCKETS);

export class SparseHistogram {
  #counts = new Map<number, number>();

  /** @param texts as contract/measured.schema.json has them */
  constructor(...texts: (string | undefined)[]) {
    for (const text of texts) this.#add(text ?? '');
  }

  #add(text: string) {
    let bucket = 0;
    for (const part of text.split(' ').filter(Boolean)) {
      const [distance = '', count = '1'] = part.split('*');
      bucket += Number.parseInt(distance, RADIX);
      this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + Number.parseInt(count, RADIX));
    }
  }

  get count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /**
   * @param share 0 to 1
   * @returns the value of nearest rank, off by 0.1 % at most; null: there are no values
   */
  percentile(share: number): number | null {
    const rank = Math.max(1, Math.ceil(share * this.count));
    let below = 0;
    for (const [bucket, count] of [...this.#counts].sort(([a], [b]) => a - b)) {
      below += count;
      if (below >= rank) return bucket === 0 ? 0 : (start(bucket) + start(bucket + 1)) / 2;
    }
    return null;
  }
}
