import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Starts a module of this folder as a process of its own, which ends with this one.
 *
 * @param {string} file
 * @param {object} [task] its first message
 * @returns {Promise<() => Promise<void>>} ends it
 */
export async function startHelper(file, task = {}) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { detached: true, execArgv: [] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await Promise.race([
    new Promise((resolve) => child.once('message', resolve)),
    ended.then(() => Promise.reject(new Error(`${file} ended instead of starting`))),
  ]);
  child.send(task);
  return async () => {
    child.kill('SIGKILL');
    await ended;
  };
}
