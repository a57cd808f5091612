/** Random numbers that a seed decides: the same seed gives the same sequence in k6 and in Node. */

/** mulberry32: 32 bits of state are plenty for test data, and it is the same in every engine. */
export class Random {
  /**
   * @param {number} seed
   * @param {number} [stream] streams of the same seed are independent of each other
   */
  constructor(seed, stream = 0) {
    this.state = (seed ^ Math.imul(stream + 1, 0x9e3779b1)) | 0;
    // The first outputs of neighbouring states resemble each other.
    for (let n = 0; n < 4; n += 1) this.next();
  }

  /** @returns {number} 0 <= number < 1 */
  next() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /**
   * @param {number} low
   * @param {number} high
   * @returns {number} a whole number, low <= number <= high
   */
  integer(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** @param {number} probability */
  chance(probability) {
    return this.next() < probability;
  }

  /**
   * @template T
   * @param {ArrayLike<T>} list not empty
   * @returns {T}
   */
  pick(list) {
    return /** @type {T} */ (list[this.integer(0, list.length - 1)]);
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T[]} the same members in another order
   */
  shuffle(list) {
    const shuffled = [...list];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = this.integer(0, last);
      [shuffled[last], shuffled[other]] = [
        /** @type {T} */ (shuffled[other]),
        /** @type {T} */ (shuffled[last]),
      ];
    }
    return shuffled;
  }
}
