import { startServer } from '../../cli/trials/server-process.ts';
import { freePort } from '../lab.js';
import { toolPath } from '../tool.js';

/**
 * Starts a server on the official Go SDK.
 *
 * @param {{stateless?: boolean, json?: boolean}} [variant]
 */
export async function startGo({ stateless = false, json = false } = {}) {
  const port = await freePort();
  return startServer('the Go server', {
    file: toolPath('go-server'),
    args: [`-port=${port}`, `-stateless=${stateless}`, `-json=${json}`],
    url: `http://127.0.0.1:${port}/mcp`,
  });
}
