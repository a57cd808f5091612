/** Disturbances of a run other than the target's own faults. Each function resolves to a function that undoes it. */
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const BURNER = fileURLToPath(new URL('../../scenarios/chaos/burner.js', import.meta.url));

/**
 * @param {number} count number of busy-looping processes
 * @param {{apart?: boolean}} [how] apart: each process in its own session. Linux first divides the CPU among sessions
 *   (sched_autogroup_enabled), so the processes of one session together compete like a single process
 * @returns {Promise<() => Promise<void>>}
 */
export async function burn(count, { apart = false } = {}) {
  const children = Array.from({ length: count }, () => fork(BURNER, { execArgv: [], detached: apart }));
  const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
  await Promise.all(
    children.map((child, index) =>
      Promise.race([
        new Promise((resolve) => child.once('message', resolve)),
        ended[index]?.then(() => Promise.reject(new Error('a burner exited instead of starting'))),
      ]),
    ),
  );
  return async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
  };
}

const PERIOD_MS = 100;

/**
 * Lets a process run only part of every tenth of a second, without giving the CPU to another process.
 *
 * @param {number} pid pid of k6
 * @param {number} share share of the time in which it may run
 * @returns {Promise<() => Promise<void>>}
 */
export async function starve(pid, share) {
  let over = false;
  const cycles = (async () => {
    while (!over && signal(pid, 'SIGSTOP')) {
      await sleep(PERIOD_MS * (1 - share));
      if (!signal(pid, 'SIGCONT')) return;
      await sleep(PERIOD_MS * share);
    }
  })();
  return async () => {
    over = true;
    await cycles;
  };
}

/** @param {number} pid @param {NodeJS.Signals} name @returns {boolean} false if the process has exited */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
