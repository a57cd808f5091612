import cluster from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveAdmin } from './admin.js';
import { serveClusterMetrics } from './cluster-metrics.js';
import { FaultControl } from './faults/hand-out.js';
import { log } from './log.js';
import { prepareCache, prepareDatabase } from './prepare.js';
import { SLOT, SOCKET_FOLDER, STOP } from './worker-contract.js';

/** Delay before an exited worker is replaced, ms. It prevents a tight loop if workers cannot start. */
const RESPAWN_DELAY = 500;

/** How long workers may take to drain and flush before they are killed, ms. */
const STOP_TIMEOUT = 10_000;

/** Exit code of a worker with an invalid configuration: replacing it would not help. */
const BAD_CONFIGURATION = 2;

/**
 * Prepares the stores, then keeps the workers running until the process is told to stop.
 * @param {import('./config.js').Config} config
 */
export async function runPrimary(config) {
  const seeded = await prepareDatabase(config);
  await prepareCache(config, seeded);

  const sockets = config.sessions ? makeSocketFolder() : '';
  const workers = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const faults = new FaultControl({ database: config.database, workers });
  await faults.set(config.faults);
  /** @type {Map<number, number>} slot by worker id */
  const slots = new Map();
  /** @param {number} slot */
  function fork(slot) {
    const worker = cluster.fork({ [SOCKET_FOLDER]: sockets, [SLOT]: String(slot), ...faults.environment });
    slots.set(worker.id, slot);
  }
  let stopping = false;

  /** @param {number} exitCode */
  function stop(exitCode) {
    if (stopping) return;
    stopping = true;
    process.exitCode = exitCode;
    if (exitCode === 0) log('info', 'target stopping');
    for (const worker of workers()) worker.send(STOP, () => {});
    setTimeout(() => {
      for (const worker of workers()) worker.process.kill('SIGKILL');
    }, STOP_TIMEOUT).unref();
  }

  const renderMetrics = serveClusterMetrics(() => workers().length);
  const admin = await serveAdmin({ config, renderMetrics, faults });
  let listening = 0;
  cluster.on('listening', (_worker, { port, addressType }) => {
    // With sessions, each worker also listens on a Unix socket, which does not count.
    if (Number(addressType) > 0) listening++;
    if (listening !== config.workers) return;
    log('info', 'target listening', {
      url: `http://${config.host}:${port}/mcp`,
      admin,
      workers: config.workers,
      cache: config.cacheStrategy,
      sessions: config.sessions,
    });
  });
  cluster.on('exit', async (worker, code, signal) => {
    if (stopping) return;
    if (code === BAD_CONFIGURATION) return stop(code);
    log('error', 'worker ended', { worker: worker.id, code, signal });
    await sleep(RESPAWN_DELAY);
    if (!stopping) fork(slots.get(worker.id) ?? 0);
    slots.delete(worker.id);
  });
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop(0));
  for (let slot = 0; slot < config.workers; slot++) fork(slot);
}

/** @returns {string} a folder that only this user can enter; removed at exit */
function makeSocketFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-target-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
