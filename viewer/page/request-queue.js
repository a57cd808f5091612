/** So many at a time, the rest in their order. */
export class RequestQueue {
  #free;
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @param {number} atOnce */
  constructor(atOnce) {
    this.#free = atOnce;
  }

  /**
   * @template T
   * @param {() => Promise<T>} task
   * @returns {Promise<T>}
   */
  async run(task) {
    if (this.#free > 0) this.#free -= 1;
    // Who ends hands the place on.
    else await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
