import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Environment where the load came from
 * @property {string | null} k6 version
 * @property {string} node version
 * @property {string} os
 * @property {string | null} cpu model
 * @property {number} cores
 * @property {number} memory_bytes
 * @property {{commit: string, dirty: boolean} | null} git of this project; null outside of a work tree
 */

/**
 * @param {string | null} k6Version
 * @returns {Environment}
 */
export function environment(k6Version) {
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

/** @returns {Environment['git']} of an image: what it was made of (Dockerfile) */
function git() {
  const { GIT_COMMIT: commit, GIT_DIRTY: dirty } = process.env;
  if (commit) return { commit, dirty: Boolean(dirty) };
  /** @param {...string} args */
  const run = (...args) =>
    execFileSync('git', args, {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
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
