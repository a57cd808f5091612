/** An instance of the reference target for faults alone: its stores are behind proxies, its heap has a limit. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '../server-process.js';

/** Of each worker. Ten times what they need. */
export const HEAP_MB = 256;

/** The stack's own instance keeps the connections that it once had, and PostgreSQL's hundred are for both. */
const POOL_SIZE = 10;

const FILLER = new URL('heap-filler.js', import.meta.url);

/**
 * @typedef {import('../server-process.js').ServerProcess & {heapFile: string}} Instance heapFile: see heap-filler.js
 *
 * @param {object} where
 * @param {number} where.port
 * @param {number} where.adminPort where Prometheus finds it
 * @param {number} where.postgresPort
 * @param {number} where.redisPort
 * @returns {Promise<Instance>}
 */
export async function startTarget({ port, adminPort, postgresPort, redisPort }) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-chaos-'));
  const heapFile = join(folder, 'heap-share');
  const settings = {
    ADMIN_PORT: adminPort,
    POSTGRES_PORT: postgresPort,
    REDIS_PORT: redisPort,
    POOL_SIZE,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --import=${FILLER}`,
    HEAP_LIMIT_MB: HEAP_MB,
    HEAP_SHARE_FILE: heapFile,
  };
  const origin = `http://127.0.0.1:${port}`;
  const server = await startServer('the target', {
    file: fileURLToPath(new URL('../../scripts/component', import.meta.url)),
    args: ['target', String(port), ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)],
    url: `${origin}/mcp`,
    ready: `${origin}/health`,
    status: 200,
  });
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...server, heapFile, stop };
}

/** @param {number} pid of a target @returns {number[]} its workers, the oldest first */
export function workersOf(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** @param {string} heapFile @returns {number | null} the largest share of its heap's limit that a worker reached */
export function heapPeak(heapFile) {
  const reports = readdirSync(dirname(heapFile)).filter((name) => name.startsWith(`${basename(heapFile)}.`));
  const shares = reports.map((name) => Number(readFileSync(join(dirname(heapFile), name), 'utf8')));
  return shares.length === 0 ? null : Math.max(...shares);
}
