/** Clean-up at the end of a command, even if a signal ends it between two programs. */
import { oneLine } from '../contract/one-line.js';
import { logProgress } from './log-progress.ts';

export type Step = () => unknown;

export class Undo {
  #steps: Step[] = [];

  /** On exit, only the synchronous start of each step is executed. */
  readonly #onExit = () => {
    for (const step of this.#steps.splice(0).reverse()) void this.#done(step);
  };

  constructor() {
    process.once('exit', this.#onExit);
  }

  add(step: Step) {
    this.#steps.push(step);
  }

  /**
   * Runs each step once, in reverse order and one after the other. A failed step does not stop the others.
   */
  async all() {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await this.#done(step);
    process.off('exit', this.#onExit);
  }

  async #done(step: Step) {
    try {
      await step();
    } catch (error) {
      logProgress(`not cleaned up: ${oneLine(String(error), 500)}`);
    }
  }
}
