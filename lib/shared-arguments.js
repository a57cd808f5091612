/** Arguments generated before the run, stored once for all VUs. */
import { SharedArray } from 'k6/data';

/**
 * Call it in k6's init context, in each VU.
 *
 * @param {string[]} [texts] JSON; the first call of the script determines what all VUs get
 * @returns {{text: string}[]} objects, because k6 freezes what it returns, and freezes a string character by
 *   character
 */
export function shareArguments(texts = []) {
  return new SharedArray('arguments', () => texts.map((text) => ({ text })));
}
