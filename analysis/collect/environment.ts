import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

/** The environment of the load generator. */
export interface Environment {
  k6: string | null;
  node: string;
  os: string;
  /** Model name. */
  cpu: string | null;
  cores: number;
  memory_bytes: number;
  /** Of this repository; null outside of a work tree. */
  git: { commit: string; dirty: boolean } | null;
}

export function environment(k6Version: string | null): Environment {
  return {
    k6: k6Version,
    node: process.versions.node,
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    cpu: os.cpus()[0]?.model.trim() || null,
    cores: os.availableParallelism(),
    memory_bytes: os.totalmem(),
    git: git(),
  };
}

/** @returns the commit; in an image, the commit that it was built from (Dockerfile) */
function git(): Environment['git'] {
  const { GIT_COMMIT: commit, GIT_DIRTY: dirty } = process.env;
  if (commit) return { commit, dirty: Boolean(dirty) };
  const run = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      encoding: 'utf8',
      timeout: 5000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return { commit: run('rev-parse', 'HEAD'), dirty: run('status', '--porcelain') !== '' };
  } catch {
    return null;
  }
}
