import { log } from '../log.js';
import { DELETE_OLD } from './statements.js';

const INTERVAL = 60_000;

/**
 * Removes resources that a killed run left behind. Every worker does this, because it may be the only worker. Without
 * old resources, it costs one index lookup.
 * @param {import('../database.js').Queries} database
 * @param {Pick<import('../config.js').Config, 'resourceLifetime'>} config
 */
export function sweepOld(database, { resourceLifetime }) {
  const sweep = () =>
    database.query(DELETE_OLD, [resourceLifetime]).catch((/** @type {Error} */ { message }) => {
      log('warn', 'old resources could not be removed', { reason: message });
    });
  setInterval(sweep, Math.min(INTERVAL, resourceLifetime * 500)).unref();
}
