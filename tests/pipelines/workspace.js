/** What a pipeline needs to run on this machine: a repository of a server, and the project as a runner fetches it. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFiles } from '../project-files.js';

/**
 * @param {string} folder that gets a repository with one commit
 * @param {Record<string, string>} files
 */
export function makeRepository(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], {
      cwd: folder,
    });
  git('init', '--quiet', '--initial-branch=main', '.');
  git('remote', 'add', 'origin', 'https://git.example.com/group/server.git');
  // The runners ask for it.
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'a server');
}

/**
 * The project's files as they are in this tree, with its packages, so that they need not be installed again.
 *
 * @param {string} folder
 */
export function copyProject(folder) {
  for (const name of projectFiles()) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    copyFileSync(name, join(folder, name));
  }
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync('node_modules')) {
    if (name !== '.package-lock.json')
      symlinkSync(join(process.cwd(), 'node_modules', name), join(packages, name));
  }
  // Newer than the lock file, however a runner copies both.
  const installed = join(folder, '..', 'installed.json');
  writeFileSync(installed, '{}');
  const laterS = Date.now() / 1000 + 3600;
  utimesSync(installed, laterS, laterS);
  symlinkSync(installed, join(packages, '.package-lock.json'));
}
