import { randomBytes } from 'node:crypto';

/** @param what type of the result @returns a unique name for a results directory: type, time, number */
export function resultName(what: string): string {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return `${what}-${stamp}-${randomBytes(2).toString('hex')}`;
}
