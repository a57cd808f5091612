/** A call before the load or after it: what prepares a test, and what leaves nothing of it behind. */
import { signIn } from './auth/auth.js';
import { withSecrets } from './auth/secret-source.js';
import { readConfig } from './config.js';
import { McpClient } from './mcp/client.js';
import { planOperations } from './workload.js';

/**
 * @param {Pick<import('./test.js').SetupData, 'connection' | 'timeoutS'>} data
 * @param {import('./workload.js').AnyWorkload} workload
 * @param {string} name of the operation
 * @returns {Promise<string | null>} why it failed
 */
export async function callOnce(data, workload, name) {
  const config = readConfig(await withSecrets(__ENV));
  const { auth } = await signIn(config);
  const client = new McpClient(data.connection, { auth, timeoutS: data.timeoutS });
  const [operation] = planOperations(workload, [name], { TOOL: '', ARGS: null });
  if (!operation) return null;
  const { method, params, args, expect } = operation;
  const options = { operation: name, withArguments: Boolean(args), ...(expect && { expect }) };
  const { failure } = client.send(client.prepare(method, params, options), args?.({}));
  client.close();
  return failure ? `${name} failed (${failure.kind}): ${auth.redact(failure.detail)}` : null;
}
