import { fileURLToPath } from 'node:url';
import type { Lab } from '../../cli/trials/lab.ts';
import { startServer } from '../../cli/trials/server-process.ts';
import { freePort } from '../../contract/free-port.js';

const COMPONENT = fileURLToPath(new URL('../../scripts/component', import.meta.url));

export interface Instance {
  port: number;
  /** Scraped by Prometheus. */
  adminPort: number;
  pid: number;
}

/**
 * Starts instances of the reference target, until the test ends. They share the stack's stores.
 *
 * @param settings in addition to those of the stack's own instance
 */
export async function startInstances(
  count: number,
  settings: Record<string, string>,
  lab: Pick<Lab, 'onEnd'>,
): Promise<Instance[]> {
  const assignments = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const instances: Instance[] = [];
  // One after the other, because the first one may have to prepare the database.
  for (let number = 1; number <= count; number += 1) {
    const [port, adminPort] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const { pid, stop } = await startServer(`instance ${number}`, {
      file: 'bash',
      args: [COMPONENT, 'target', String(port), `ADMIN_PORT=${adminPort}`, ...assignments],
      url,
      ready: `${url}/health`,
      status: 200,
      withinS: 60,
    });
    lab.onEnd(stop);
    instances.push({ port, adminPort, pid });
  }
  return instances;
}
