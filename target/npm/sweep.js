import { log } from '../log.js';
import { DELETE_OLD } from './statements.js';

const INTERVAL = 60_000;

/**
 * Removes what nobody removed: of a run that was killed, and everything that could have cleaned up after it with it.
 * Every worker looks, for any of them may be the only one; to find nothing costs one look at an index.
 * @param {import('../database.js').Queries} database
 * @param {Pick<import('../config.js').Config, 'resourceLifetime'>} config
 */
export function sweepOld(database, { resourceLifetime }) {
  const sweep = () =>
    database.query(DELETE_OLD, [resourceLifetime]).catch((/** @type {Error} */ { message }) => {
      log('warn', 'old resources stay', { reason: message });
    });
  setInterval(sweep, Math.min(INTERVAL, resourceLifetime * 500)).unref();
}
