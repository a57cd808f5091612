import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { toolPath } from '../../../tool.js';
import { type PublicServer, startPythonProgram } from '../public-server.ts';

/** With the library that the server has itself. DuckDB reads a table in parts, each with a thread of its own. */
const MAKE = `
import sys, duckdb
with duckdb.connect(sys.argv[1]) as database:
    database.execute("CREATE TABLE measured AS SELECT i AS id, i * 7919 % 100003 AS value FROM range(3000000) t(i)")
`;

export const server: PublicServer = {
  title: "MotherDuck's DuckDB server",
  truth: 'target_cpu (machine)',
  reason: 'DuckDB computes a query on all cores, outside the interpreter',
  mix: {
    execute_query: [
      100,
      { sql: 'SELECT value % 100, sum(sqrt(value)), count(*) FROM measured GROUP BY ALL' },
    ],
  },
  rateScale: 0.05,
  start: ({ folder }) => {
    const file = join(folder, 'measured.duckdb');
    execFileSync(toolPath('server-motherduck'), ['-c', MAKE, file]);
    return startPythonProgram(
      'server-motherduck',
      'mcp-server-motherduck',
      (port) => ['--transport', 'http', '--port', port, '--db-path', file, '--home-dir', folder],
      () => ({ HOME: folder }),
    );
  },
};
