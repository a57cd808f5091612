import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServer } from './server-process.ts';

const COMPONENT = fileURLToPath(new URL('../../scripts/component', import.meta.url));

/**
 * Starts one more instance of the reference target.
 *
 * @param settings in addition to those of the stack's own instance, whose stores it shares
 * @param folder see ServerStart
 */
export function startInstance(
  name: string,
  port: number,
  settings: Record<string, string | number>,
  folder?: string,
): Promise<ServerProcess> {
  const origin = `http://127.0.0.1:${port}`;
  return startServer(name, {
    file: COMPONENT,
    args: ['target', String(port), ...Object.entries(settings).map((setting) => setting.join('='))],
    url: `${origin}/mcp`,
    ready: `${origin}/health`,
    status: 200,
    withinS: 60,
    ...(folder && { folder }),
  });
}
