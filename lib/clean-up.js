/** What a test calls when it is over, so that it leaves nothing behind. */
import { signIn } from './auth/auth.js';
import { withSecrets } from './auth/secret-source.js';
import { readConfig } from './config.js';
import { McpClient } from './mcp/client.js';
import { planOperations } from './workload.js';

/**
 * @param {import('./test.js').SetupData | undefined} data none: set-up did not come so far, and nothing was made
 * @param {import('./workload.js').AnyWorkload} workload
 * @param {string} name of the operation
 */
export async function cleanUp(data, workload, name) {
  if (!data) return;
  const config = readConfig(await withSecrets(__ENV));
  const { auth } = await signIn(config);
  const client = new McpClient(data.connection, { auth, timeoutS: data.timeoutS });
  const [operation] = planOperations(workload, [name], { TOOL: '', ARGS: null });
  if (!operation) return;
  const { method, params, args } = operation;
  const call = client.prepare(method, params, { operation: name, withArguments: Boolean(args) });
  const { failure } = client.send(call, args?.({}));
  client.close();
  if (failure) console.error(`clean-up: ${name} failed (${failure.kind}): ${auth.redact(failure.detail)}`);
}
