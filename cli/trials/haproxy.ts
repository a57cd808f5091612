/** Starts HAProxy with a configuration of a test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, type ServerProcess, startServer } from './server-process.ts';

/**
 * @param program path to HAProxy
 * @param endpoints url: of its frontend; ready: answers once HAProxy is up, by default the url
 * @param folder for its files, and removed when it has ended
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
