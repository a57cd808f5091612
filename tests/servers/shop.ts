import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startServer } from '../../cli/trials/server-process.ts';
import { hiddenHost } from '../../contract/free-port.js';
import { startToxiproxy, type Toxiproxy } from '../../scenarios/chaos/toxiproxy.ts';
import { freePort } from '../lab.js';
import { toolPath } from '../tool.js';

/** A call's weight in the mix, and its arguments. */
export type Mix = Record<string, [weight: number, args: Record<string, unknown>]>;

/**
 * Starts a FastMCP server (tests/servers/python/shop.py).
 *
 * @param env its settings: what is behind it
 * @param words a command that runs the one behind it
 */
export async function startShop(env: Record<string, string> = {}, words: string[] = []) {
  const port = await freePort();
  const [file = '', ...args] = [
    ...words,
    toolPath('python-servers'),
    'tests/servers/python/shop.py',
    String(port),
  ];
  const url = `http://127.0.0.1:${port}/mcp`;
  return startServer('the FastMCP server', { file, args, url, env: { PATH: process.env.PATH, ...env } });
}

/** A workload document of its tools. */
export function shopWorkload(mix: Mix) {
  const entries = Object.entries(mix);
  const operations = entries.map(([name, [, args]]) => [
    name,
    { class: 'read', method: 'tools/call', params: { name }, arguments: [args] },
  ]);
  return {
    schema: 'mcp-load-lab/workload/1',
    name: 'shop',
    dialect: 'mcp',
    operations: Object.fromEntries(operations),
    mixes: { default: Object.fromEntries(entries.map(([name, [weight]]) => [name, weight])) },
  };
}

interface Behind {
  /** Of the stack: POSTGRES_PORT and REDIS_PORT. */
  ports: Record<string, string>;
  passwords: Record<string, string>;
  /** That the service takes to answer. */
  serviceMs?: number;
  /** Gets what ends all of it. */
  undo: (() => unknown)[];
}

/**
 * Starts what is behind the server: a stack's database and cache at the ports that such things have, and a service, each through a proxy.
 *
 * @returns the proxies `database`, `cache` and `upstream`, and the settings of the server
 */
export async function startBehind({ ports, passwords, serviceMs = 0, undo }: Behind): Promise<{
  toxiproxy: Toxiproxy;
  env: Record<string, string>;
}> {
  const toxiproxy = await startToxiproxy(toolPath('toxiproxy'));
  undo.push(() => toxiproxy.stop());
  const service = createServer((_, response) => {
    setTimeout(() => response.end('{"celsius":21}'), serviceMs);
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  undo.push(() => {
    service.closeAllConnections();
    service.close();
  });
  const host = hiddenHost();
  await toxiproxy.proxy('database', `127.0.0.1:${ports.POSTGRES_PORT}`, host, 5432);
  await toxiproxy.proxy('cache', `127.0.0.1:${ports.REDIS_PORT}`, host, 6379);
  const upstream = `127.0.0.1:${(service.address() as AddressInfo).port}`;
  const port = await toxiproxy.proxy('upstream', upstream, host);
  return {
    toxiproxy,
    env: {
      DATABASE_URL: `postgresql+asyncpg://mcp:${passwords.TARGET_DATABASE_PASSWORD}@${host}/mcp`,
      REDIS_URL: `redis://:${passwords.REDIS_PASSWORD}@${host}`,
      UPSTREAM_URL: `http://${host}:${port}/`,
    },
  };
}
