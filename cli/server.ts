/** The server under test, if SERVER_COMMAND starts it. */
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../contract/config-error.js';
import { readVariables } from '../contract/variable.js';
import { server as ofServer } from '../contract/variables/server.js';
import { type CallerCommand, startCallerCommand } from './caller-command.ts';

/** Interval of readiness checks: start times are accurate to a few milliseconds. */
const LOOK_MS = 10;
const ANSWER_MS = 2_000;
const STOP_MS = 10_000;

export class NotReady extends Error {}

export interface Server {
  /** Time from its start until it was ready. */
  readyMs: number;
  /** @returns a message if the server had already exited; otherwise null */
  stop(): Promise<string | null>;
}

export interface ServerOptions extends CallerCommand {
  /** URL that answers when the server is ready. */
  url: string;
  /** Requires a 2xx status. Otherwise any status counts, because an MCP endpoint refuses a plain GET. */
  exact: boolean;
  withinS: number;
  /** Aborts the wait. */
  signal: AbortSignal;
}

/** The server's options from the variables. */
export type AskedServer = Omit<ServerOptions, 'log' | 'secrets' | 'signal'>;

/** @returns null if SERVER_COMMAND is not set @throws {ConfigError} */
export function askedServer(): AskedServer | null {
  const { SERVER_COMMAND, SERVER_ENV, READY_URL, READY_S } = readVariables(ofServer, process.env);
  if (SERVER_COMMAND === '') return null;
  const { TARGET_URL } = process.env;
  if (!TARGET_URL)
    throw new ConfigError(
      'TARGET_URL is empty; valid: the URL of the server that SERVER_COMMAND starts, for example http://127.0.0.1:3001/mcp',
    );
  return {
    command: SERVER_COMMAND,
    url: READY_URL || TARGET_URL,
    exact: READY_URL !== '',
    withinS: READY_S,
    variables: SERVER_ENV ?? [],
  };
}

/**
 * Resolves when the server is ready.
 *
 * @throws {NotReady} with the last log lines; the server has been stopped
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { command, url, exact, withinS, log, variables, secrets, signal } = options;
  const beganMs = performance.now();
  const { child, output } = startCallerCommand({ command, variables, log, secrets });
  let code: number | null = null;
  child.ended.then((ended) => {
    code = ended;
  });
  const untilMs = Date.now() + withinS * 1000;
  while (!(await answers(url, exact))) {
    const why =
      code !== null
        ? `the server exited with code ${code} before it was ready`
        : Date.now() >= untilMs
          ? `the server was not ready within ${withinS} s: ${url} did not answer${exact ? ' with 2xx' : ''}`
          : signal.aborted
            ? 'the server was not ready yet'
            : null;
    if (why) {
      await child.stop(STOP_MS);
      output.close();
      throw new NotReady(`${why}${output.lastWords()}`);
    }
    await sleep(LOOK_MS);
  }
  return {
    readyMs: performance.now() - beganMs,
    async stop() {
      const ended = code;
      await child.stop(STOP_MS);
      output.close();
      return ended === null ? null : `the server exited during the run, with code ${ended}`;
    },
  };
}

/**
 * Does not use fetch, which blocks some ports, for example 6000
 * (https://fetch.spec.whatwg.org/#port-blocking).
 */
function answers(url: string, exact: boolean): Promise<boolean> {
  const { get } = url.startsWith('https:') ? https : http;
  const headers = { accept: 'application/json, text/event-stream' };
  return new Promise((resolve) => {
    const request = get(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) }, (answer) => {
      answer.destroy();
      const { statusCode = 0 } = answer;
      resolve(!exact || (statusCode >= 200 && statusCode < 300));
    });
    request.on('error', () => resolve(false));
  });
}
