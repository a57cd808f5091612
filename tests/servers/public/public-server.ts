/** Servers by others, a folder each: `server.ts` says how a stranger starts it and what limits it; scripts/setup installs what it pins. */
import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type ServerProcess, startServer } from '../../../cli/trials/server-process.ts';
import { freePort } from '../../lab.js';
import { toolPath } from '../../tool.js';
import type { Mix } from '../shop.ts';

export interface PublicServer {
  title: string;
  /** What a run has to name, in the words of bench/attribution/named.js: a resource, or a resource and its cause. */
  truth: string;
  /** Why it is that, on a machine with two cores. */
  reason: string;
  /** Calls, with their weights and arguments; without them those that discovery finds. */
  mix?: Mix;
  /** Multiplies the spike test's rates, so that calls of the baseline do not wait and the spike is more than the server takes. */
  rateScale: number;
  start: (given: Given) => Promise<{ url: string; token?: string; stop: () => Promise<void> }>;
}

export interface Given {
  /** An empty one, of this server's own. */
  folder: string;
  /** Variables of a stack that is up: POSTGRES_PORT, PROMETHEUS_URL, ... */
  stack: Record<string, string>;
  /** Passwords of that stack. */
  passwords: Record<string, string>;
}

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** @returns by the names of their folders */
export async function publicServers(): Promise<Record<string, PublicServer>> {
  const files = globSync('*/server.ts', { cwd: FOLDER }).sort();
  const entries = files.map(async (file) => {
    const { server } = await import(pathToFileURL(join(FOLDER, file)).href);
    return [basename(dirname(file)), server] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Starts a console script of a Python package.
 *
 * @param need of scripts/setup
 * @param args gets the port
 * @param env on top of PATH
 */
export async function startPythonProgram(
  need: `server-${string}`,
  program: string,
  args: (port: string) => string[],
  env: (port: string) => Record<string, string> = () => ({}),
): Promise<ServerProcess> {
  const port = String(await freePort());
  const python = toolPath(need);
  return startServer(program, {
    file: python,
    // Its first line names the folder in which it was installed, which has moved since.
    args: [join(dirname(python), program), ...args(port)],
    env: { PATH: process.env.PATH, ...env(port) },
    url: `http://127.0.0.1:${port}/mcp`,
    withinS: 60,
  });
}
