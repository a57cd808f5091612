import { type PublicServer, startPythonProgram } from '../public-server.ts';

export const server: PublicServer = {
  title: "MotherDuck's DuckDB server",
  truth: 'target_cpu (machine)',
  reason: 'DuckDB computes a query on all cores, outside the interpreter',
  mix: {
    execute_query: [100, { sql: 'SELECT sum(sqrt(i)), count(DISTINCT i % 1000) FROM range(2000000) t(i)' }],
  },
  rateScale: 0.25,
  start: ({ folder }) =>
    startPythonProgram(
      'server-motherduck',
      'mcp-server-motherduck',
      (port) => [
        '--transport',
        'http',
        '--port',
        port,
        '--db-path',
        ':memory:',
        '--read-write',
        '--home-dir',
        folder,
      ],
      () => ({ HOME: folder }),
    ),
};
