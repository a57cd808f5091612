import { randomBytes } from 'node:crypto';

/** @param what is in it @returns the name of a folder of results that no other has: what, when, a number */
export function resultName(what: string): string {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return `${what}-${stamp}-${randomBytes(2).toString('hex')}`;
}
