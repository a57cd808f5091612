/**
 * Writes one JSON line to standard output. For the rare events of a process's life, never for a request.
 * @param {'info' | 'warn' | 'error'} level
 * @param {string} message
 * @param {Record<string, unknown>} [fields] never a secret, a URL with credentials or a client's data
 */
export function log(level, message, fields = {}) {
  process.stdout.write(
    `${JSON.stringify({ time: new Date().toISOString(), level, message, pid: process.pid, ...fields })}\n`,
  );
}
