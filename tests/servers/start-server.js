/** Starts a server of the tests as a process of its own, and waits until it answers. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * @typedef {object} Server
 * @property {string} url
 * @property {() => string} log the end of what it wrote on both streams
 * @property {() => Promise<void>} stop
 *
 * @param {string} name for messages
 * @param {object} how
 * @param {string} how.file
 * @param {string[]} how.args
 * @param {Record<string, string>} [how.env] on top of this process's
 * @param {string} how.url
 * @param {string} [how.ready] any answer to a GET of it means that the server is up; by default the url
 * @param {number} [how.withinS]
 * @returns {Promise<Server>}
 */
export async function startServer(name, { file, args, env = {}, url, ready = url, withinS = 20 }) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-server-'));
  const logFile = join(folder, 'log');
  const output = openSync(logFile, 'w');
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = new Promise((resolve) => child.once('error', resolve).once('exit', resolve));
  const log = () => readFileSync(logFile, 'utf8').slice(-4000);
  const stop = async () => {
    // One that hangs is of no more use, and holds up the tests.
    const impatience = setTimeout(() => child.kill('SIGKILL'), 5000);
    child.kill();
    await ended;
    clearTimeout(impatience);
    rmSync(folder, { recursive: true });
  };

  let running = true;
  ended.then(() => {
    running = false;
  });
  const deadline = Date.now() + withinS * 1000;
  while (running && Date.now() < deadline) {
    // A GET may well be answered with a stream that never ends.
    const answer = await fetch(ready, { signal: AbortSignal.timeout(2000) }).catch(() => null);
    await answer?.body?.cancel();
    if (answer && running) return { url, log, stop };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const said = log();
  await stop();
  throw new Error(`${name} did not start within ${withinS} s:\n${said}`);
}
