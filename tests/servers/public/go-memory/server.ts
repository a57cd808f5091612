import { startServer } from '../../../../cli/trials/server-process.ts';
import { freePort } from '../../../lab.js';
import { toolPath } from '../../../tool.js';
import type { PublicServer } from '../public-server.ts';

export const server: PublicServer = {
  title: "the Go SDK's memory example",
  truth: 'target_cpu (machine)',
  reason: 'Go runs calls on all cores, and nothing else limits it',
  mix: { read_graph: [100, {}] },
  rateScale: 0.8,
  start: async () => {
    const address = `127.0.0.1:${await freePort()}`;
    return startServer("the Go SDK's memory example", {
      file: toolPath('server-go-memory'),
      args: ['-http', address],
      env: { PATH: process.env.PATH },
      url: `http://${address}`,
    });
  },
};
