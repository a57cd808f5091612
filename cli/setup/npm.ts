/** Installs the npm packages of a separate lock file. Only the tests need them. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../stack.ts';
import type { Part } from './part.ts';

/** npm writes this file last. It is older than the lock file only if the lock file has changed since. */
const isThere = (folder: string) => {
  const installed = statSync(join(folder, 'node_modules/.package-lock.json'), { throwIfNoEntry: false });
  return installed !== undefined && installed.mtimeMs > statSync(join(folder, 'package-lock.json')).mtimeMs;
};

/** @param path the folder's path in the project */
export function npmPart(title: string, path: string): Part | null {
  const folder = join(ROOT, path);
  if (isThere(folder)) return null;
  return {
    title,
    lane: 'npm',
    seconds: 10,
    make: async (job) => {
      const command = ['npm', 'ci', '--prefix', folder, '--no-audit', '--no-fund'];
      // npm first removes the existing packages: two concurrent installations would break each other.
      await job.run(path.replaceAll('/', '-'), job.locked('npm', command));
    },
  };
}
