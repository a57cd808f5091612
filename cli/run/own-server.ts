/** The server under test of a run, if SERVER_COMMAND starts it. */
import { copyFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { secretsOf } from '../../analysis/clean-text.ts';
import { interrupted } from '../child.ts';
import { Ending, TARGET } from '../ending.ts';
import { logProgress } from '../log-progress.ts';
import { type AskedServer, askedServer, NotReady, type Server, startServer } from '../server.ts';

const LOG = 'server.log';

/** A server that can be restarted at the same URL. */
export class OwnServer {
  readonly #asked: AskedServer;
  readonly #log: string;
  #server: Server | null = null;

  /** @param folder for its log */
  constructor(asked: AskedServer, folder: string) {
    this.#asked = asked;
    this.#log = join(folder, LOG);
  }

  /** @returns another server, with the port in the command and in the readiness URL replaced */
  withPort(port: string, other: number): OwnServer {
    const replaced = (text: string) => text.replaceAll(wordOf(port), String(other));
    const { command, url } = this.#asked;
    return new OwnServer(
      { ...this.#asked, command: replaced(command), url: replaced(url) },
      dirname(this.#log),
    );
  }

  /**
   * @returns milliseconds until it was ready
   * @throws {Ending} with the end of its log, if it was not ready in time
   */
  async start(): Promise<number> {
    const ended = new AbortController();
    const watch = setInterval(() => interrupted() && ended.abort(), 100);
    try {
      this.#server = await startServer({
        ...this.#asked,
        log: this.#log,
        secrets: secretsOf(process.env),
        signal: ended.signal,
      });
      return this.#server.readyMs;
    } catch (error) {
      if (error instanceof NotReady) throw new Ending(error.message, TARGET);
      throw error;
    } finally {
      clearInterval(watch);
    }
  }

  async stop() {
    const server = this.#server;
    this.#server = null;
    const how = await server?.stop();
    if (how) logProgress(how);
  }

  /** @param folder results folder to copy the log to, if there is one */
  keepLog(folder: string) {
    if (existsSync(folder) && existsSync(this.#log)) copyFileSync(this.#log, join(folder, LOG));
  }
}

/** @returns null if SERVER_COMMAND is not set @throws {ConfigError} */
export function ownServer(folder: string): OwnServer | null {
  const asked = askedServer();
  return asked && new OwnServer(asked, folder);
}

/** Matches the port, but not as part of a longer number. */
const wordOf = (port: string) => new RegExp(`(?<!\\d)${port}(?!\\d)`, 'g');

export const namesPort = (text: string, port: string) => port !== '' && wordOf(port).test(text);
