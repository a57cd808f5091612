/** What is done to a run beside the target's own faults. Each function resolves to what undoes it. */
import { execFileSync, fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { constants, cpus, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

const BURNER = fileURLToPath(new URL('../../experiments/chaos/burner.js', import.meta.url));
const TASKSET = 'taskset';

/**
 * @param {number} count of processes that never wait
 * @param {number} [core] that they may run on; by default any
 * @returns {Promise<() => Promise<void>>}
 */
export async function burn(count, core) {
  const how =
    core === undefined ? {} : { execPath: TASKSET, execArgv: ['-c', String(core), process.execPath] };
  const children = Array.from({ length: count }, () => fork(BURNER, { execArgv: [], ...how }));
  const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
  await Promise.all(
    children.map((child, index) =>
      Promise.race([
        new Promise((resolve) => child.once('message', resolve)),
        ended[index]?.then(() => Promise.reject(new Error('a burner ended instead of starting'))),
      ]),
    ),
  );
  return async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
  };
}

/**
 * Keeps the generator on one core, on which others go before it.
 *
 * @param {number} pid of k6
 * @param {number} count of processes on the same core
 * @returns {Promise<() => Promise<void>>}
 */
export async function starve(pid, count) {
  const core = cpus().length - 1;
  // All of its threads: those that they start inherit it.
  execFileSync(TASKSET, ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
  for (const thread of readdirSync(`/proc/${pid}/task`))
    setPriority(Number(thread), constants.priority.PRIORITY_LOW);
  return burn(count, core);
}
