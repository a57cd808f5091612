/**
 * Writes one JSON line to standard output. For rare events only, not for requests.
 * @param {'info' | 'warn' | 'error'} level
 * @param {string} message
 * @param {Record<string, unknown>} [fields] must not contain secrets, URLs with credentials or clients' data
 */
export function log(level, message, fields = {}) {
  process.stdout.write(
    `${JSON.stringify({ time: new Date().toISOString(), level, message, pid: process.pid, ...fields })}\n`,
  );
}
