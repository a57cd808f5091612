/** What is to be undone at the end of a command, however that comes: also where a signal ends it between two programs. */
import { oneLine } from '../contract/one-line.js';
import { say } from './say.ts';

export type Step = () => unknown;

export class Undo {
  #steps: Step[] = [];

  readonly #onExit = () => void this.#run();

  constructor() {
    process.once('exit', this.#onExit);
  }

  add(step: Step) {
    this.#steps.push(step);
  }

  /** In the opposite order, each once; one that fails keeps no other from it. */
  async all() {
    process.off('exit', this.#onExit);
    for (const done of await Promise.allSettled(this.#run()))
      if (done.status === 'rejected') say(`not cleaned up: ${oneLine(String(done.reason), 500)}`);
  }

  /** What a step does before it first waits is done even where the program is about to exit. */
  #run(): Promise<unknown>[] {
    return this.#steps
      .splice(0)
      .reverse()
      .map(async (step) => await step());
  }
}
