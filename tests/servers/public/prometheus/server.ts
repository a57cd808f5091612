import { type PublicServer, startPythonProgram } from '../public-server.ts';

export const server: PublicServer = {
  title: 'prometheus-mcp-server',
  truth: 'server_thread (blocked)',
  reason: 'it asks Prometheus with a synchronous client in the event loop',
  mix: { execute_query: [100, { query: 'count(max_over_time(up[6h:1s]))' }] },
  rateScale: 0.05,
  start: ({ stack, passwords }) =>
    startPythonProgram(
      'server-prometheus',
      'prometheus-mcp-server',
      () => [],
      (port) => ({
        PROMETHEUS_URL: stack.PROMETHEUS_URL ?? '',
        PROMETHEUS_USERNAME: 'lab',
        PROMETHEUS_PASSWORD: passwords.PROMETHEUS_PASSWORD ?? '',
        PROMETHEUS_MCP_SERVER_TRANSPORT: 'http',
        PROMETHEUS_MCP_BIND_PORT: port,
      }),
    ),
};
