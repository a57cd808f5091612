import { fileURLToPath } from 'node:url';
import { type PublicServer, startPythonProgram } from '../public-server.ts';

const BEHIND = fileURLToPath(
  new URL('../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);

export const server: PublicServer = {
  title: 'mcp-proxy in front of server-everything on stdio',
  truth: 'target_cpu (single thread)',
  reason:
    'the event loop of one interpreter passes on all calls, each a little more work than what is behind it has',
  mix: { echo: [100, { message: 'a' }] },
  rateScale: 0.15,
  start: () =>
    startPythonProgram('server-mcp-proxy', 'mcp-proxy', (port) => [
      '--port',
      port,
      '--',
      'node',
      BEHIND,
      'stdio',
    ]),
};
