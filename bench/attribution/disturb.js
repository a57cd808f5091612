/** What is done to a run in addition to the target's own faults. Each function resolves to what undoes it. */
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const BURNER = fileURLToPath(new URL('../../scenarios/chaos/burner.js', import.meta.url));

/**
 * @param {number} count of processes that never wait
 * @param {{apart?: boolean}} [how] apart: each in a session of its own. Linux shares the CPU out among sessions first
 *   (sched_autogroup_enabled), so that any number of processes of one session takes no more than one
 * @returns {Promise<() => Promise<void>>}
 */
export async function burn(count, { apart = false } = {}) {
  const children = Array.from({ length: count }, () => fork(BURNER, { execArgv: [], detached: apart }));
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

const PERIOD_MS = 100;

/**
 * Has a process run for a part of each tenth of a second alone, and leaves the CPU that it would have used to nobody else.
 *
 * @param {number} pid of k6
 * @param {number} share of the time in which it may run
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

/** @param {number} pid @param {NodeJS.Signals} name @returns {boolean} false: it has ended */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
