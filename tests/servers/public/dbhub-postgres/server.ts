import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDbhub } from '../dbhub/dbhub.ts';
import type { PublicServer } from '../public-server.ts';

const POOL_SIZE = 5;

export const server: PublicServer = {
  title: `DBHub on PostgreSQL, a pool of ${POOL_SIZE}`,
  truth: 'pool (observed externally)',
  reason: 'each statement waits 50 ms for something else than a CPU and holds one of five connections',
  mix: { execute_sql: [100, { sql: 'SELECT pg_sleep(0.05)' }] },
  rateScale: 0.1,
  start: ({ folder, stack, passwords }) => {
    const config = join(folder, 'dbhub.toml');
    const dsn = `postgres://mcp:${passwords.TARGET_DATABASE_PASSWORD}@127.0.0.1:${stack.POSTGRES_PORT}/mcp?sslmode=disable`;
    writeFileSync(config, `[[sources]]\nid = "mcp"\ndsn = "${dsn}"\npool_max_connections = ${POOL_SIZE}\n`, {
      mode: 0o600,
    });
    return startDbhub(['--config', config]);
  },
};
