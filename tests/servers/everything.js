import { startServer } from '../../cli/trials/server-process.ts';
import { freePort } from '../lab.js';

/** Starts the reference server of the TypeScript SDK 1.x, @modelcontextprotocol/server-everything. */
export async function startEverything() {
  const port = await freePort();
  return startServer('server-everything', {
    file: 'node',
    args: ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'streamableHttp'],
    env: { ...process.env, PORT: String(port) },
    url: `http://127.0.0.1:${port}/mcp`,
  });
}
