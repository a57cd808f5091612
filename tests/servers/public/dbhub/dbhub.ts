/** DBHub, an MCP server for databases. */
import { fileURLToPath } from 'node:url';
import { startServer } from '../../../../cli/trials/server-process.ts';
import { freePort } from '../../../lab.js';
import { setUp } from '../../../tool.js';

const PROGRAM = fileURLToPath(new URL('node_modules/@bytebase/dbhub/dist/index.js', import.meta.url));

/** @param args what it serves */
export async function startDbhub(args: string[]) {
  setUp('server-dbhub');
  const port = String(await freePort());
  return startServer('DBHub', {
    file: 'node',
    args: [PROGRAM, '--transport', 'http', '--host', '127.0.0.1', '--port', port, ...args],
    env: { PATH: process.env.PATH },
    url: `http://127.0.0.1:${port}/mcp`,
  });
}
