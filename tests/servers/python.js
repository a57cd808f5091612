import { startServer } from '../../cli/trials/server-process.ts';
import { freePort } from '../lab.js';
import { toolPath } from '../tool.js';

/**
 * Starts a server on the official Python SDK.
 *
 * @param {{stateless?: boolean, json?: boolean}} [variant] json: legacy requests are answered as JSON, not as SSE
 */
export async function startPython({ stateless = false, json = false } = {}) {
  const port = await freePort();
  const args = ['tests/servers/python/server.py', String(port)];
  if (stateless) args.push('--stateless');
  if (json) args.push('--json');
  return startServer('the Python server', {
    file: toolPath('python-servers'),
    args,
    url: `http://127.0.0.1:${port}/mcp`,
  });
}
