import { randomBytes } from 'node:crypto';

/** @param what type of the result @returns a unique name for a results directory: type, time, number */
export function resultName(what: string): string {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return `${what}-${stamp}-${randomBytes(2).toString('hex')}`;
}

/** @returns whether the name has the format of `resultName` */
export const isResultName = (name: string) => /-\d{8}T\d{6}Z-[0-9a-f]{4}$/.test(name);
