/** A call before or after the load: it prepares a test or cleans up after it. */
import { makeClient } from './credentials.js';
import { withSecrets } from './secret-source.js';
import { planOperations } from './workload.js';

/**
 * @param {import('./credentials.js').UserOptions} options without secrets
 * @param {import('./workload.js').AnyWorkload} workload
 * @param {string} name of the operation
 * @param {Record<string, string> | null} toolNames TOOL_NAMES
 * @returns {Promise<string | null>} why the call failed; null = it succeeded
 */
export async function callOnce(options, workload, name, toolNames) {
  const client = makeClient(options, await withSecrets(__ENV));
  const [operation] = planOperations(workload, [name], { TOOL: '', ARGS: null, TOOL_NAMES: toolNames });
  if (!operation) return null;
  const { method, params, args, expect } = operation;
  const call = client.prepare(method, params, { tags: { operation: name }, ...(expect && { expect }) });
  const { failure } = call.send(args?.({}));
  client.close();
  return failure ? `${name} failed (${failure.kind}): ${failure.detail}` : null;
}
