/** Arguments that were made before the run, kept once for all users. Only runs with a WORKLOAD load this. */
import { SharedArray } from 'k6/data';

/** To ask k6 for a shared text costs some microseconds: a user keeps its own copy of those that are short. */
const MAX_KEPT = 1024;

/**
 * In k6's init, and there in every user.
 *
 * @param {string[]} [texts] JSON; what the first run of the script gives is what all users get
 * @returns {{text: string}[]} objects, because k6 freezes what it hands out, and a text it would freeze letter by letter
 */
export function shareArguments(texts = []) {
  return new SharedArray('arguments', () => texts.map((text) => ({ text })));
}

/** Some of the shared texts, like an array of their own. */
export class SharedTexts {
  /**
   * @param {{text: string}[]} shared
   * @param {{first: number, length: number}} range
   */
  constructor(shared, { first, length }) {
    this.shared = shared;
    this.first = first;
    this.length = length;
    /** @type {string[]} */
    this.kept = [];
  }

  /** @param {number} index @returns {string} */
  at(index) {
    const kept = this.kept[index];
    if (kept !== undefined) return kept;
    const text = this.shared[this.first + index]?.text ?? '';
    if (text.length <= MAX_KEPT) this.kept[index] = text;
    return text;
  }
}
