import { randomBytes } from 'node:crypto';

/** @param {string} what is in it @returns {string} the name of a folder of results that no other has: what, when, a number */
export function resultName(what) {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return `${what}-${stamp}-${randomBytes(2).toString('hex')}`;
}
