import { startGateway } from '../../gateway.js';
import { startGo } from '../../go.js';
import type { PublicServer } from '../public-server.ts';

export const server: PublicServer = {
  title: 'ContextForge in front of the Go SDK',
  truth: 'target_cpu',
  reason: 'one process of CPython passes on all calls: one core',
  rateScale: 0.03,
  start: async () => {
    const behind = await startGo();
    const gateway = await startGateway({ url: behind.url, token: '' });
    return {
      url: gateway.url,
      token: gateway.token,
      stop: async () => {
        await gateway.stop();
        await behind.stop();
      },
    };
  },
};
