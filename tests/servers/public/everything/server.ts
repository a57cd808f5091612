import { startEverything } from '../../everything.js';
import type { PublicServer } from '../public-server.ts';

export const server: PublicServer = {
  title: 'server-everything, the TypeScript SDK',
  truth: 'target_cpu (single thread)',
  reason: 'Node.js runs all calls in one thread',
  rateScale: 0.2,
  start: startEverything,
};
