import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Starts a module of this folder in a separate process, which ends with this one.
 *
 * @param task the first message to the process
 * @returns a function that ends the process
 */
export async function startHelper(file: string, task: object = {}): Promise<() => Promise<void>> {
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
