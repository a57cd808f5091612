import { startShop } from '../../shop.ts';
import type { PublicServer } from '../public-server.ts';

export const server: PublicServer = {
  title: 'FastMCP with 40 threads (tests/servers/python/shop.py)',
  truth: 'target_cpu (interpreter lock)',
  reason: "each call computes 18 ms in a thread, and CPython's lock lets one thread run",
  mix: { render: [100, { ms: 18 }] },
  rateScale: 0.08,
  start: () => startShop(),
};
