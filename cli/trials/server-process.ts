/** Starts a server as a separate process, waits until it is ready, and ends it by its pid. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a server may take to end after SIGTERM, ms. */
const PATIENCE_MS = 5000;

export interface ServerProcess {
  url: string;
  pid: number;
  /** The last part of its stdout and stderr. */
  log: () => string;
  stop: () => Promise<void>;
}

export interface ServerStart {
  file: string;
  args: string[];
  /** Its whole environment. Default: this process's. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** For its files; removed after its end. Default: a new one. */
  folder?: string;
  url: string;
  /** The server is up when it answers a GET of this URL. Default: `url`. */
  ready?: string;
  /** The status that this answer must have. Default: any. */
  status?: number;
  /** Seconds to become ready. Default: 20. */
  withinS?: number;
}

export const newFolder = () => mkdtempSync(join(tmpdir(), 'mcp-load-lab-server-'));

/**
 * @param name for messages
 * @throws {Error} with the end of the server's log, if it ends or is not ready in time
 */
export async function startServer(name: string, how: ServerStart): Promise<ServerProcess> {
  const { file, args, env = process.env, cwd, url, ready = url, status, withinS = 20 } = how;
  const { folder = newFolder() } = how;
  const logFile = join(folder, 'log');
  const output = openSync(logFile, 'w');
  // If this process is killed, the kernel ends its servers.
  const bound = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'TERM', '--'] : [];
  const [program = file, ...rest] = [...bound, file, ...args];
  // Ctrl-C reaches only this process, which then stops the servers in order.
  const child = spawn(program, rest, { env, cwd, detached: true, stdio: ['ignore', output, output] });
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

  let ending: Promise<void> | null = null;
  // Stop only once: later the pid may belong to another process.
  const stop = () => {
    ending ??= end();
    return ending;
  };

  const deadline = Date.now() + withinS * 1000;
  while (running && Date.now() < deadline) {
    // The answer to a GET may be a stream that never ends.
    const answer = await fetch(ready, { signal: AbortSignal.timeout(2000) }).catch(() => null);
    await answer?.body?.cancel();
    if (answer && running && (status === undefined || answer.status === status)) {
      return { url, pid: Number(child.pid), log, stop };
    }
    await sleep(50);
  }
  const lines = log();
  const why = running ? `did not start within ${withinS} s` : 'exited instead of starting';
  await stop();
  throw new Error(`${name} ${why}:\n${lines}`);
}

/** Also ends leftover child processes: a detached server leads its own process group. */
function endGroup(pid: number | undefined) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
}
