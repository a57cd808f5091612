/** The log of a program that a run starts: without secrets and control characters, and of limited size. */
import { appendFileSync } from 'node:fs';
import { cleanText } from '../analysis/clean-text.ts';

const MAX_LOG = 10_000_000;
const MAX_LINE = 2_000;
/** Lines that `lastWords` shows. */
const LAST = 5;

export class ProgramLog {
  readonly #file: string;
  readonly #secrets: readonly string[];
  #written = 0;
  #rest = '';
  #last: string[] = [];
  #isClosed = false;

  constructor(file: string, secrets: readonly string[]) {
    this.#file = file;
    this.#secrets = secrets;
    appendFileSync(file, '');
  }

  readonly add = (text: string) => {
    // Ignore output of processes that outlive the program: the log may already be deleted.
    if (this.#isClosed) return;
    // Process whole lines, so that a secret is never split.
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = (lines.pop() ?? '').slice(-MAX_LOG);
    for (const line of lines) {
      const clean = cleanText(line, this.#secrets, MAX_LINE);
      this.#last = [...this.#last.slice(1 - LAST), clean];
      this.#written += clean.length + 1;
      if (this.#written <= MAX_LOG) appendFileSync(this.#file, `${clean}\n`);
    }
  };

  close() {
    if (this.#rest !== '') this.add('\n');
    this.#isClosed = true;
  }

  /** @returns the end of a message: its last lines, or '' if the program has written nothing */
  lastWords(): string {
    const lines = this.#last.filter((line) => line !== '');
    return lines.length > 0 ? `; last output: ${lines.join(' | ')}` : '';
  }
}
