/** A server as a process of its own: started, waited for, ended by its id. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a server may take to end by itself, ms. One that hangs is of no more use. */
const PATIENCE_MS = 5000;

/**
 * @typedef {object} ServerProcess
 * @property {string} url
 * @property {number} pid
 * @property {() => string} log the end of what it wrote on both streams
 * @property {() => Promise<void>} stop
 *
 * @param {string} name for messages
 * @param {object} how
 * @param {string} how.file
 * @param {string[]} how.args
 * @param {NodeJS.ProcessEnv} [how.env] all of its environment; by default this process's
 * @param {string} [how.cwd]
 * @param {string} how.url
 * @param {string} [how.ready] any answer to a GET of it means that the server is up; by default the url
 * @param {number} [how.status] that the answer must have; by default any
 * @param {number} [how.withinS]
 * @param {boolean} [how.detached] in a session of its own, where no Ctrl-C of this one's reaches it; by default so
 * @returns {Promise<ServerProcess>}
 */
export async function startServer(name, how) {
  const { file, args, env = process.env, cwd, url, ready = url, status, withinS = 20, detached = true } = how;
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-server-'));
  const logFile = join(folder, 'log');
  const output = openSync(logFile, 'w');
  // Where this process is killed, nobody is left to end its servers: the kernel does it. Ctrl-C is for this process
  // alone, which then ends them in its own order.
  const bound = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'TERM', '--'] : [];
  const [program = file, ...rest] = [...bound, file, ...args];
  const child = spawn(program, rest, { env, cwd, detached, stdio: ['ignore', output, output] });
  closeSync(output);
  let running = true;
  const ended = new Promise((resolve) => child.once('error', resolve).once('exit', resolve)).then(() => {
    running = false;
  });
  const log = () => readFileSync(logFile, 'utf8').slice(-4000);
  const end = async () => {
    const impatience = setTimeout(() => endGroup(child.pid), PATIENCE_MS);
    if (running) child.kill();
    await ended;
    clearTimeout(impatience);
    endGroup(child.pid);
    rmSync(folder, { recursive: true, force: true });
  };

  /** @type {Promise<void> | null} */
  let ending = null;
  // Once: later its id may be another process's.
  const stop = () => {
    ending ??= end();
    return ending;
  };

  const deadline = Date.now() + withinS * 1000;
  while (running && Date.now() < deadline) {
    // A GET may well be answered with a stream that never ends.
    const answer = await fetch(ready, { signal: AbortSignal.timeout(2000) }).catch(() => null);
    await answer?.body?.cancel();
    if (answer && running && (status === undefined || answer.status === status)) {
      return { url, pid: Number(child.pid), log, stop };
    }
    await sleep(50);
  }
  const said = log();
  const why = running ? `did not start within ${withinS} s` : 'ended instead of starting';
  await stop();
  throw new Error(`${name} ${why}:\n${said}`);
}

/** Also what the server started and left behind: it leads a group of its own. @param {number | undefined} pid */
function endGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
