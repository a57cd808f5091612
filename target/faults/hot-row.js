/** lock_hold_ms: one row that every call of a user tool locks for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresClient } from '../postgres-client.js';
import { faults } from './faults.js';

const CREATE = `
  CREATE TABLE IF NOT EXISTS fault_hot_row (id integer PRIMARY KEY);
  INSERT INTO fault_hot_row VALUES (1) ON CONFLICT DO NOTHING`;

/** @type {import('../database.js').Statement} */
const LOCK = {
  name: 'fault_hot_row',
  type: 'select',
  text: 'SELECT id FROM fault_hot_row WHERE id = 1 FOR UPDATE',
};

/** @param {import('pg').ClientConfig} database */
export async function createHotRow(database) {
  const client = new PostgresClient(database);
  try {
    await client.connect();
    await client.query(CREATE);
  } finally {
    await client.end();
  }
}

/**
 * Takes the lock, holds it for lock_hold_ms and releases it, in a separate transaction before the tool's own work. If
 * the transaction stayed open while the tool takes a second connection, the pool could deadlock.
 * @param {import('../database.js').Queries} database
 */
export function holdHotRow(database) {
  return database.transaction(async (run) => {
    await run(LOCK);
    await sleep(faults.lock_hold_ms);
  });
}
