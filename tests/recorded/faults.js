/** Faults of the reference target that are recorded and that no bench makes: a table like those of bench/attribution. */
import { setTimeout as sleep } from 'node:timers/promises';
import { loadThrough } from '../../bench/attribution/reference.js';
import { toolPath } from '../../cli/tool-path.ts';
import { makeLossyLink } from '../../scenarios/chaos/lossy-link.ts';
import { startToxiproxy } from '../../scenarios/chaos/toxiproxy.ts';
import { PostgresClient } from '../../target/postgres-client.js';

/**
 * @typedef {import('../../bench/attribution.js').Fault & {begin: Begin}} Fault
 * @typedef {(context: {lab: import('../../bench/lab-stack.js').LabStack, size: number, folder: string, undo: (() => unknown)[]}) =>
 *   Promise<import('../../bench/attribution.js').Started>} Begin
 */

/** @type {Record<string, Fault>} */
export const FAULTS = {
  table_lock: {
    truth: 'database (locks)',
    about: 's that one transaction locks the table users',
    begin: async ({ lab, size }) => ({ variables: {}, begin: () => lockTable(lab, size) }),
  },
  cache_gone: {
    truth: 'cache (misses)',
    about: 's without Redis',
    begin: async ({ lab, size }) => ({ variables: {}, begin: () => stopRedis(lab, size) }),
  },
  packet_loss: { truth: 'network', about: 'of the packets each way', begin: loseByLink },
};

/** @type {import('../../bench/attribution.js').Table['start']} */
export async function start(lab, { fault: name, size }, folder, undo) {
  const { begin } = /** @type {Fault} */ (FAULTS[name]);
  await lab.faults({});
  return begin({ lab, size: size ?? 0, folder, undo });
}

/** @param {import('../../bench/lab-stack.js').LabStack} lab @param {number} seconds */
async function lockTable(lab, seconds) {
  const client = new PostgresClient({
    host: '127.0.0.1',
    port: Number(lab.stackEnv.POSTGRES_PORT),
    user: 'mcp',
    database: 'mcp',
    password: lab.secrets.TARGET_DATABASE_PASSWORD,
  });
  await client.connect();
  try {
    await sleep(1000);
    await client.query('BEGIN');
    await client.query('LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
    await sleep(seconds * 1000);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

/** @param {import('../../bench/lab-stack.js').LabStack} lab @param {number} seconds */
async function stopRedis(lab, seconds) {
  await lab.sh(['scripts/ctl', 'stop', 'redis']);
  await sleep(seconds * 1000);
  await lab.sh(['scripts/ctl', 'start', 'redis']);
}

/** @type {Begin} */
async function loseByLink({ lab, size, folder, undo }) {
  const binary = toolPath('toxiproxy');
  const toxiproxy = await startToxiproxy(binary);
  undo.push(() => toxiproxy.stop());
  const { host } = new URL(lab.stackEnv.TARGET_URL ?? '');
  const link = await makeLossyLink({ binary, toxiproxy, server: host });
  undo.push(() => link.stop());
  return { variables: loadThrough(link.port, lab, folder, undo), begin: () => link.lose(size) };
}
