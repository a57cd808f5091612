/** Set-up for servers that do not speak MCP: there is nothing to negotiate, but someone must be there. */
import http from 'k6/http';
import { tlsHint } from '../auth/tls.js';
import { TargetError } from '../mcp/target-error.js';
import { unreachable } from '../unreachable.js';

/**
 * @param {string} url
 * @param {'jsonrpc' | 'rest'} dialect
 * @returns {import('../mcp/client.js').Connection}
 * @throws {TargetError} where no one answers; whatever an answer says is for the calls to find out
 */
export function reach(url, dialect) {
  const response = http.options(url, null, { timeout: '4s', redirects: 0 });
  if (response.status === 0) {
    throw new TargetError(
      `${url} cannot be used (${response.error || 'no answer'}); ` +
        (tlsHint(response.error) ?? unreachable(url)),
    );
  }
  return { url, dialect, era: null, version: '', server: null, capabilities: {} };
}
