import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** @returns {string[]} what git knows or would take, and is there, as paths from the project's folder */
export const projectFiles = () =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => existsSync(name));
