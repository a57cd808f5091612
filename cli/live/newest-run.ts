/** Which run is shown: the one that was asked for, or the newest, which may change. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** @returns the folder of the newest run; null: there is none */
export function newestRun(results: string): string | null {
  if (!existsSync(results)) return null;
  const folders = readdirSync(results, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(results, name))
    .filter((folder) => existsSync(join(folder, 'plan.json')) || existsSync(join(folder, 'run.json')));
  return folders.toSorted((a, b) => bornMs(b) - bornMs(a))[0] ?? null;
}

/** Of its plan, which is written once: reports may be written again. */
const bornMs = (folder: string) =>
  statSync(join(folder, 'plan.json'), { throwIfNoEntry: false })?.mtimeMs ?? statSync(folder).birthtimeMs;
