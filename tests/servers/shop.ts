import { startServer } from '../../experiments/server-process.js';
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
