/** Programs that a pipeline starts: without a terminal, and ended whole. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {object} Child
 * @property {() => boolean} alive it, or anything that it started and that stayed in its process group
 * @property {Promise<number>} ended its exit code
 * @property {(graceMs: number) => Promise<void>} stop TERM to it alone, and to whatever is left of its group after the grace
 */

/** Between TERM and KILL, for what a program left behind. */
const LEFTOVERS_MS = 5_000;
const LOOK_MS = 100;
/** For what a program said last. */
const PIPES_MS = 1_000;

/**
 * @param {string} file
 * @param {string[]} args
 * @param {object} options
 * @param {Record<string, string | undefined>} [options.env] on top of this process's; undefined: without that variable
 * @param {(text: string) => void} options.onOutput both streams, in order of arrival
 * @returns {Child} in a session of its own: without a terminal, nothing can ask a question
 */
export function startChild(file, args, { env = {}, onOutput }) {
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onOutput);
  let running = true;
  /** @type {Promise<number>} */
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      running = false;
      const result = code ?? 128 + constants.signals[signal ?? 'SIGTERM'];
      child.once('close', () => resolve(result));
      // What it left running may hold its pipes for ever.
      sleep(PIPES_MS, undefined, { ref: false }).then(() => resolve(result));
    });
  });
  ended.catch(() => {});
  /** @param {NodeJS.Signals | 0} signal @param {boolean} group @returns {boolean} was there anything to get it? */
  const kill = (signal, group) => {
    if (child.pid === undefined) return false;
    try {
      return process.kill(group ? -child.pid : child.pid, signal);
    } catch {
      return false;
    }
  };
  const alive = () => running || kill(0, true);
  /** @param {() => boolean} there @param {number} forMs */
  const gone = async (there, forMs) => {
    const untilMs = Date.now() + forMs;
    while (there() && Date.now() < untilMs) await sleep(LOOK_MS);
  };
  return {
    alive,
    ended,
    async stop(graceMs) {
      if (running) kill('SIGTERM', false);
      await gone(() => running, graceMs);
      if (!alive()) return;
      kill('SIGTERM', true);
      await gone(alive, LEFTOVERS_MS);
      if (alive()) kill('SIGKILL', true);
    },
  };
}
