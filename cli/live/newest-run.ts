/** Selects the run to show: the requested one, or the newest, which may change. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** @returns the folder of the newest run; null = none */
export function newestRun(results: string): string | null {
  if (!existsSync(results)) return null;
  const folders = readdirSync(results, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(results, name))
    .filter((folder) => existsSync(join(folder, 'plan.json')) || existsSync(join(folder, 'run.json')));
  return folders.toSorted((a, b) => bornMs(b) - bornMs(a))[0] ?? null;
}

/** The time of the plan, which is written only once, unlike reports. */
const bornMs = (folder: string) =>
  statSync(join(folder, 'plan.json'), { throwIfNoEntry: false })?.mtimeMs ?? statSync(folder).birthtimeMs;
