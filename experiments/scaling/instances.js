import { fileURLToPath } from 'node:url';
import { freePort } from '../../contract/free-port.js';
import { startServer } from '../server-process.js';

const COMPONENT = fileURLToPath(new URL('../../scripts/component', import.meta.url));

/**
 * Starts instances of the reference target, on ports of their own and on the stack's stores.
 *
 * @param {number} count
 * @param {Record<string, string>} knobs on top of those that the stack's own has
 * @param {(stop: () => Promise<void>) => void} onStart is told how to end each
 * @returns {Promise<{port: number, adminPort: number, pid: number}[]>} adminPort: where Prometheus finds it
 */
export async function startInstances(count, knobs, onStart) {
  const words = Object.entries(knobs).map(([knob, value]) => `${knob}=${value}`);
  const instances = [];
  // One after the other: the first one may have the database to prepare.
  for (let number = 1; number <= count; number += 1) {
    const [port, adminPort] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const { pid, stop } = await startServer(`instance ${number}`, {
      file: 'bash',
      args: [COMPONENT, 'target', String(port), `ADMIN_PORT=${adminPort}`, ...words],
      url,
      ready: `${url}/health`,
      status: 200,
      withinS: 60,
    });
    onStart(stop);
    instances.push({ port, adminPort, pid });
  }
  return instances;
}
