import { startShop } from '../../shop.ts';
import type { PublicServer } from '../public-server.ts';

export const server: PublicServer = {
  title: 'FastMCP with ten workers (tests/servers/python/shop.py)',
  truth: 'concurrency',
  reason: 'each call waits 200 ms in one of ten workers, and nothing is busy',
  mix: { convert: [100, { ms: 200 }] },
  rateScale: 0.08,
  start: () => startShop(),
};
