/** Arguments that were made before the run, kept once for all users. */
import { SharedArray } from 'k6/data';

/**
 * In k6's init, and there in every user.
 *
 * @param {string[]} [texts] JSON; what the first run of the script gives is what all users get
 * @returns {{text: string}[]} objects, because k6 freezes what it hands out, and a text it would freeze letter by letter
 */
export function shareArguments(texts = []) {
  return new SharedArray('arguments', () => texts.map((text) => ({ text })));
}
