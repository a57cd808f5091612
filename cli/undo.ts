/** What is to be undone at the end of a command, however that comes: also where a signal ends it between two programs. */
export type Step = () => unknown;

export class Undo {
  #steps: Step[] = [];

  constructor() {
    process.once('exit', () => this.#run());
  }

  add(step: Step) {
    this.#steps.push(step);
  }

  /** In the opposite order, each once. */
  async all() {
    await Promise.all(this.#run());
  }

  /** What a step does before it first waits is done even where the program is about to exit. */
  #run(): unknown[] {
    return this.#steps
      .splice(0)
      .reverse()
      .map((step) => step());
  }
}
