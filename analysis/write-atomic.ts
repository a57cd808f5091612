import { renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes a file atomically: a reader sees either the old content or the new one.
 *
 * @throws {Error} if the directory is not writable; no file is left behind
 */
export function writeAtomic(path: string, content: string) {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
