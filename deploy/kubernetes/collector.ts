/**
 * Receives the results of a test's runners: `PUT /RUNNER/FILE`, once per file, with the run's token. The folder is read
 * with `kubectl exec` (cluster.ts). A Job runs it (base/collector.yaml):
 *
 *   RUNNERS=mcp-load-lab-1,mcp-load-lab-2 K6_LAB_TOKEN=... FOLDER=/data HOST=0.0.0.0 node deploy/kubernetes/collector.ts
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Maximum sizes, in bytes. The per-second data of a day takes 100 MB. */
export const LIMITS: Record<string, number> = { 'seconds.jsonl': 2 ** 30, 'measured.json': 2 ** 26 };
const CONNECTIONS = 100;

export interface Taken {
  runners: readonly string[];
  token: string;
  /** Folder in which RUNNER/FILE is stored. */
  folder: string;
  limits?: Record<string, number>;
}

class TooLarge extends Error {}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** @returns a server that does not listen yet; it refuses requests with a status only */
export function collector({ runners, token, folder, limits = LIMITS }: Taken): Server {
  const expected = digest(`Bearer ${token}`);
  const server = createServer(
    { requestTimeout: 10 * 60_000, headersTimeout: 10_000 },
    (request, response) => {
      const done = (status: number) => response.writeHead(status, { Connection: 'close' }).end();
      statusOf(request).then(done, () => done(500));
    },
  );
  server.maxConnections = CONNECTIONS;
  return server;

  async function statusOf(request: IncomingMessage): Promise<number> {
    if (request.method === 'GET' && request.url === '/ready') return 200;
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return 401;
    const [, runner = '', file = '', ...more] = (request.url ?? '').split('/');
    const limit = Object.hasOwn(limits, file) && more.length === 0 ? limits[file] : undefined;
    if (!runners.includes(runner) || limit === undefined) return 404;
    if (request.method !== 'PUT') return 405;
    if (Number(request.headers['content-length']) > limit) return 413;
    return await take(request, join(folder, runner), file, limit);
  }
}

/** Stores a complete file under its name unless that exists. An incomplete upload leaves no file. */
async function take(request: IncomingMessage, folder: string, file: string, limit: number): Promise<number> {
  await mkdir(folder, { recursive: true });
  const part = join(folder, `.${randomUUID()}`);
  let left = limit;
  const bounded = new Transform({
    transform(chunk: Buffer, _, next) {
      left -= chunk.length;
      if (left < 0) next(new TooLarge());
      else next(null, chunk);
    },
  });
  try {
    await pipeline(request, bounded, createWriteStream(part, { mode: 0o600 }));
    await link(part, join(folder, file));
    return 201;
  } catch (error) {
    if (error instanceof TooLarge) return 413;
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 409;
    throw error;
  } finally {
    await rm(part, { force: true });
  }
}

if (import.meta.main) {
  const { RUNNERS = '', K6_LAB_TOKEN = '', FOLDER = '', HOST = '127.0.0.1', PORT = '8080' } = process.env;
  if (!RUNNERS || !K6_LAB_TOKEN || !FOLDER) throw new Error('RUNNERS, K6_LAB_TOKEN and FOLDER must be set');
  collector({ runners: RUNNERS.split(','), token: K6_LAB_TOKEN, folder: FOLDER }).listen(Number(PORT), HOST);
  process.once('SIGTERM', () => process.exit());
}
