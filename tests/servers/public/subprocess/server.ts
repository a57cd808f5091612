import { startShop } from '../../shop.ts';
import type { PublicServer } from '../public-server.ts';

export const server: PublicServer = {
  title: 'FastMCP that starts a program for each call (tests/servers/python/shop.py)',
  truth: 'target_cpu (one process per call)',
  reason: 'starting a program is most of the work, and programs have all cores',
  mix: { thumbnail: [100, {}] },
  rateScale: 0.05,
  start: () => startShop(),
};
