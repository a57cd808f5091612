/** Starts HAProxy with a configuration of a test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, type ServerProcess, startServer } from './server-process.ts';

/**
 * @param program path to HAProxy
 * @param endpoints url: of its frontend; ready: URL that answers once HAProxy is up, by default `url`
 * @param folder for its files; removed after its end
 */
export async function startHaproxy(
  program: string,
  config: string,
  endpoints: { url: string; ready?: string },
  folder = newFolder(),
): Promise<ServerProcess> {
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, config);
  // -db: in the foreground, one process.
  return startServer('HAProxy', { file: program, args: ['-db', '-f', file], folder, ...endpoints });
}
