/**
 * The same calls by the client in lib/mcp/ (CLIENT=js) and by k6/x/mcp (CLIENT=go): one user for each of PATHS, three calls of an operation
 * that has the path's name.
 */
import exec from 'k6/execution';
import mcp from 'k6/x/mcp';
import { fixedAuth } from '../../lib/auth/fixed-auth.js';
import { McpClient } from '../../lib/mcp/client.js';

/** @type {{url: string, path: string, version: string, timeoutS: number}[]} */
const calls = JSON.parse(__ENV.CALLS ?? '');

export const options = {
  scenarios: { calls: { executor: 'per-vu-iterations', vus: calls.length, iterations: 1 } },
  summaryTrendStats: ['count'],
};

const PARAMS = { name: 'x', arguments: { a: 1 } };

/** @param {typeof calls[number]} call @returns {{send: () => void, close: () => void}} */
function withJavaScript({ url, path, version, timeoutS }) {
  /** @type {'modern' | 'legacy'} */
  const era = version === '2026-07-28' ? 'modern' : 'legacy';
  const connection = { url, era, version, server: null, capabilities: {} };
  const client = new McpClient(connection, { auth: fixedAuth('sesame'), timeoutS });
  client.measured = true;
  const call = client.prepare('tools/call', PARAMS, { operation: path, class: 'read' });
  return { send: () => client.send(call), close: () => client.close() };
}

/** @param {typeof calls[number]} call @returns {{send: () => void, close: () => void}} */
function withGo({ url, path, version, timeoutS }) {
  const client = new mcp.StreamableHTTPClient({
    base_url: url,
    protocolVersion: /** @type {any} */ (version),
    timeout: `${timeoutS}s`,
    token: 'sesame',
  });
  const call = client.prepare('tools/call', PARAMS, { tags: { operation: path, class: 'read' } });
  return { send: () => call.send(), close: () => client.close() };
}

export default function () {
  const call = calls[exec.scenario.iterationInTest];
  if (!call) throw new Error('there are fewer calls than users');
  exec.vu.tags.path = call.path;
  const { send, close } = (__ENV.CLIENT === 'go' ? withGo : withJavaScript)(call);
  for (let count = 0; count < 3; count += 1) send();
  close();
}
