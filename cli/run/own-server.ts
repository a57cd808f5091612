/** The server under test of a run, if SERVER_COMMAND starts it. */
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { secretsOf } from '../../analysis/clean-text.ts';

import { readVariables } from '../../contract/variable.js';
import { server as variables } from '../../contract/variables/server.js';
import { interrupted } from '../child.ts';
import { Ending, TARGET, usage } from '../ending.ts';
import { say } from '../say.ts';
import { NotReady, type Server, startServer } from '../server.ts';

const LOG = 'server.log';

/** A server that can be started again, at the same URL. */
export class OwnServer {
  readonly #config = readVariables(variables, process.env);
  readonly #log: string;
  #server: Server | null = null;

  /** @param folder for its log */
  constructor(folder: string) {
    this.#log = join(folder, LOG);
  }

  /** @returns milliseconds until it was ready @throws {Ending} with its last words, if it was not in time */
  async start(): Promise<number> {
    const { SERVER_COMMAND, SERVER_ENV, READY_URL, READY_S } = this.#config;
    const ended = new AbortController();
    const watch = setInterval(() => interrupted() && ended.abort(), 100);
    try {
      this.#server = await startServer({
        command: SERVER_COMMAND,
        url: READY_URL || (process.env.TARGET_URL ?? ''),
        exact: READY_URL !== '',
        withinS: READY_S,
        log: this.#log,
        variables: SERVER_ENV ?? [],
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
    if (how) say(how);
  }

  /** @param folder of the run's results: it gets the log, if it is there */
  keepLog(folder: string) {
    if (existsSync(folder) && existsSync(this.#log)) copyFileSync(this.#log, join(folder, LOG));
  }
}

/** @returns null: the server is somebody else's @throws {Ending} */
export function ownServer(folder: string): OwnServer | null {
  if (!process.env.SERVER_COMMAND) return null;
  if (!process.env.TARGET_URL)
    throw usage(
      'TARGET_URL is empty; valid: where the server of SERVER_COMMAND answers, as http://127.0.0.1:3001/mcp',
    );
  return new OwnServer(folder);
}
