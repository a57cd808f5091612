import { renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes a file so that a reader sees the old content or the new one, never a part.
 *
 * @throws {Error} where the folder can't be written; nothing is left behind then
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
