/** What is to be undone at the end of a command, however that comes: also where a signal ends it between two programs. */
import { oneLine } from '../contract/one-line.js';
import { logProgress } from './log-progress.ts';

export type Step = () => unknown;

export class Undo {
  #steps: Step[] = [];

  /** What a step does before it first waits is done even where the program is about to exit. */
  readonly #onExit = () => {
    for (const step of this.#steps.splice(0).reverse()) void this.#done(step);
  };

  constructor() {
    process.once('exit', this.#onExit);
  }

  add(step: Step) {
    this.#steps.push(step);
  }

  /** In the opposite order, each once, when the one before has ended; one that fails keeps no other from it. */
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
