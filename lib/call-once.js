/** A call before the load or after it: what prepares a test, and what leaves nothing of it behind. */
import { StreamableHTTPClient } from 'k6/x/mcp';
import { credentialsOf } from './credentials.js';
import { withSecrets } from './secret-source.js';
import { planOperations } from './workload.js';

/**
 * @param {import('k6/x/mcp').ClientOptions} options without secrets
 * @param {import('./workload.js').AnyWorkload} workload
 * @param {string} name of the operation
 * @returns {Promise<string | null>} why it failed
 */
export async function callOnce(options, workload, name) {
  const credentials = credentialsOf(await withSecrets(__ENV));
  const client = new StreamableHTTPClient(credentials.withSecrets(options));
  const [operation] = planOperations(workload, [name], { TOOL: '', ARGS: null });
  if (!operation) return null;
  const { method, params, args, expect } = operation;
  const call = client.prepare(method, params, { tags: { operation: name }, ...(expect && { expect }) });
  const { failure } = call.send(args?.({}));
  client.close();
  return failure ? `${name} failed (${failure.kind}): ${credentials.redact(failure.detail)}` : null;
}
