/**
 * Does something again and again: never while the page is hidden, never before the last time has ended.
 */
export class Refresh {
  #task;
  /** @type {number | null} milliseconds */
  #everyMs = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #isDue = false;
  #isRunning = false;

  /** @param {() => Promise<void>} task */
  constructor(task) {
    this.#task = task;
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.#isDue) this.#run();
    });
  }

  /** @param {number | null} seconds null for never */
  every(seconds) {
    this.#everyMs = seconds === null ? null : seconds * 1000;
    this.#isDue = false;
    this.#wait(this.#everyMs);
  }

  /** @param {number | null} ms */
  #wait(ms) {
    clearTimeout(this.#timer);
    if (ms !== null) this.#timer = setTimeout(() => this.#run(), ms);
  }

  async #run() {
    if (this.#isRunning) return;
    this.#isDue = document.hidden;
    if (document.hidden) return;
    this.#isRunning = true;
    const began = performance.now();
    try {
      await this.#task();
    } finally {
      this.#isRunning = false;
      if (this.#everyMs !== null) this.#wait(Math.max(0, this.#everyMs - (performance.now() - began)));
    }
  }
}
