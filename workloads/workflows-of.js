/** The steps of the test workflows on a server that discovery examined. */

/** Calls of a sequence, as on the reference target. */
const SEQUENCE = 3;

/**
 * @param {import('../lib/workload.js').WorkloadDocument} document
 * @returns {import('../lib/test.js').FittedWorkload} the server's operations and the supported steps
 */
export function workflowsOf(document) {
  const { operations, connection, left_out = [] } = document;
  const named = Object.entries(operations);
  const tools = named.filter(([, { method }]) => method === 'tools/call').map(([name]) => name);
  const resource = named.find(([, { method }]) => method === 'resources/read')?.[1].params.uri;
  const subscribes = connection?.era === 'legacy' && connection.subscribe === true && resource !== undefined;
  const [tool = ''] = tools;
  const steps = {
    'tool-call': operations[tool],
    'resource-list': operations['resources/list'],
    'resource-subscribe': subscribes
      ? { class: 'write', method: 'resources/subscribe', params: { uri: resource } }
      : undefined,
    'prompt-list': operations['prompts/list'],
    'tool-sequence':
      tools.length > 0
        ? { class: 'complex', calls: Array.from({ length: SEQUENCE }, (_, n) => tools[n % tools.length]) }
        : undefined,
  };
  const has = Object.entries(steps).filter(([, step]) => step !== undefined);
  const hasNot = Object.entries(steps).filter(([, step]) => step === undefined);
  const workload = /** @type {any} */ ({
    ...document,
    operations: { ...operations, ...Object.fromEntries(has) },
    left_out: [
      ...left_out,
      ...hasNot.map(([operation]) => ({
        operation,
        reason: `${connection?.server?.name ?? 'the server'} does not support it in the ${connection?.era ?? 'negotiated'} era`,
      })),
    ],
  });
  return { workload };
}
