import type { PublicServer } from '../public-server.ts';
import { startDbhub } from './dbhub.ts';

export const server: PublicServer = {
  title: 'DBHub on SQLite',
  truth: 'target_cpu (single thread)',
  reason: 'SQLite runs in the one thread in which Node.js runs all calls',
  mix: { execute_sql: [100, { sql: 'SELECT count(*), avg(amount) FROM salary' }] },
  rateScale: 0.25,
  start: () => startDbhub(['--demo']),
};
