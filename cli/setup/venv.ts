/** Installs Python programs, each in a venv with the packages pinned in its requirements.txt. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { broken } from '../ending.ts';
import { debianPackages } from './packages.ts';
import type { Part } from './part.ts';

const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];

const runs = (python: string, code: string) => spawnSync(python, ['-c', code]).status === 0;

/** @param source the folder of requirements.txt */
export function venvPart(name: string, source: string, folder: string): Part | null {
  if (existsSync(folder)) return null;
  const python = PYTHONS.find((one) => runs(one, 'import sys; sys.exit(sys.version_info < (3, 11))'));
  if (!python) throw broken(`${name}: Python 3.11 or newer is needed (https://www.python.org)`);
  return {
    title: `Python packages of ${name}`,
    lane: 'python',
    seconds: 30,
    make: (job) =>
      job.fill(folder, async (unfinished) => {
        if (!runs(python, 'import ensurepip')) await debianPackages([`${python}-venv`]).make(job);
        await job.run(name, [python, '-m', 'venv', unfinished]);
        // Wheels only: nothing is compiled, and no package runs code during the installation.
        await job.run(name, [
          ...[
            join(unfinished, 'bin/python'),
            '-m',
            'pip',
            'install',
            '--disable-pip-version-check',
            '--no-deps',
          ],
          ...[
            '--only-binary',
            ':all:',
            '--require-hashes',
            '--requirement',
            join(source, 'requirements.txt'),
          ],
        ]);
      }),
  };
}
