/** A log limited to 400 KB: it keeps the start, with the first occurrence of each message, and the end. */
import { appendFileSync, writeFileSync } from 'node:fs';

const BEGINNING = 262_144;
const END = 131_072;
/** analysis/collect/k6-log.ts looks for this text. */
const CUT = 'the middle of this log was removed';

export class BoundedLog {
  readonly #file: string;
  #written = 0;
  #end: string[] = [];
  #endSize = 0;
  #isCut = false;

  constructor(file: string) {
    this.#file = file;
    writeFileSync(file, '');
  }

  add(line: string) {
    const text = `${line.slice(0, END - 1)}\n`;
    if (this.#end.length === 0 && this.#written + text.length <= BEGINNING) {
      this.#append(text);
      this.#written += text.length;
      return;
    }
    this.#end.push(text);
    this.#endSize += text.length;
    while (this.#endSize > END) {
      this.#endSize -= this.#end.shift()?.length ?? 0;
      this.#isCut = true;
    }
  }

  close() {
    this.#append(`${this.#isCut ? `${CUT}\n` : ''}${this.#end.join('')}`);
  }

  /** Ignores errors: a full disk must not end a run. */
  #append(text: string) {
    try {
      appendFileSync(this.#file, text);
    } catch {
      // The measurement is more important than its log.
    }
  }
}
