/** The first requests of a client: tools/list and one call. */
import reference from './reference.js';

/** @type {import('../lib/workload.js').Workload} */
export default {
  name: 'first-calls',
  operations: {
    'tools-list': { class: 'protocol', method: 'tools/list' },
    'first-call': {
      .../** @type {import('../lib/workload.js').OperationSpec} */ (reference.operations.get_user),
      tool: 'get_user',
    },
  },
  mixes: {},
};

/**
 * @param {import('../lib/workload.js').WorkloadDocument} document
 * @returns {import('../lib/test.js').FittedWorkload} the call is its first tool
 */
export function firstCallsOf(document) {
  const { operations } = document;
  const tool = Object.values(operations).find(({ method }) => method === 'tools/call');
  const workload = {
    ...document,
    operations: {
      ...operations,
      'tools-list': { class: 'protocol', method: 'tools/list', params: {} },
      ...(tool && { 'first-call': tool }),
    },
  };
  return { workload: /** @type {any} */ (workload) };
}
